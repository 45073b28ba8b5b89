from setuptools import setup

setup(cffi_modules=["core_c/build_ffi.py:ffibuilder"])
