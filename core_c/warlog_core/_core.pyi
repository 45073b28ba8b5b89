"""The compiled module: cffi's two objects. Only binding/ imports it; warlog.h says what is in `lib`."""

from typing import Any

ffi: Any
lib: Any
