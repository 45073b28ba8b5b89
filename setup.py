from setuptools import setup

# One wheel for every CPython from 3.11 on.
setup(cffi_modules=["core_c/build_ffi.py:ffibuilder"], options={"bdist_wheel": {"py_limited_api": "cp311"}})
