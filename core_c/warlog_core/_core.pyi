"""The compiled module: cffi's two objects. Only binding.py imports it; warlog.h says what is in `lib`."""

from typing import Any

ffi: Any
lib: Any
