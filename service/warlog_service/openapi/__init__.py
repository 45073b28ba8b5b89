"""The OpenAPI document, from the routes themselves, the Structs of `warlog_service.schema` and recorded examples.

`python -m warlog_service.openapi > docs/openapi.json` writes it.
"""

from warlog_service.openapi.calls import Call, call, calls
from warlog_service.openapi.document import document, recorded, rendered, rendered_text

__all__ = ["Call", "call", "calls", "document", "recorded", "rendered", "rendered_text"]
