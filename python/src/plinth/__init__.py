"""Client of the Data Product API.

>>> from plinth import DataProductClient, DataProductError
"""

from .client import AsyncDataProductClient, DataProductClient
from .errors import DataProductError
from .records import TERMINAL_STATUSES, Page, Record, Statement
from .result import Result

__all__ = [
    "TERMINAL_STATUSES",
    "AsyncDataProductClient",
    "DataProductClient",
    "DataProductError",
    "Page",
    "Record",
    "Result",
    "Statement",
]
