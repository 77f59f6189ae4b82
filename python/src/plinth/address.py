"""Where a data product is."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from .errors import bad_parameter, required_segment, required_text

_TOKEN = re.compile(r"[\x21-\x7e]+")


def segment(text: str) -> str:
    return quote(text, safe="")


def base_address(fqdn: object, tenant: object, dp_name: object, service: str) -> str:
    """``https://{fqdn}/{service}/tenants/{tenant}/data-products/{tenant}-{dp_name}/api/v1``."""
    origin = origin_of(required_text("fqdn", fqdn))
    tenant_name = required_segment("tenant", tenant)
    product = f"{tenant_name}-{required_segment('dp_name', dp_name)}"
    return f"{origin}/{segment(service)}/tenants/{segment(tenant_name)}/data-products/{segment(product)}/api/v1"


def origin_of(fqdn: str) -> str:
    """``https://`` is understood; ``http://`` and a port may be said, anything else is refused."""
    text = fqdn.strip()
    if "://" not in text:
        text = f"https://{text}"
    # Without this, a user name before an @ would make another host of what looks like this one.
    if re.search(r"[\s@\\?#\x00-\x1f]", text):
        raise bad_parameter("fqdn", "must be a host name, with http:// and a port if need be")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise bad_parameter("fqdn", "has a port that is not a number, or brackets that do not match") from None
    if parts.scheme not in ("http", "https"):
        raise bad_parameter("fqdn", "must begin with https:// or http://, or with the host itself")
    if not host or parts.path not in ("", "/"):
        raise bad_parameter("fqdn", "must be a host name without a path")
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}" + ("" if port is None else f":{port}")


def checked_token(access_token: object) -> str:
    """A token that cannot break a header: what is wrong with it is said without showing it."""
    token = required_text("access_token", access_token).strip()
    if _TOKEN.fullmatch(token) is None:
        raise bad_parameter("access_token", "has spaces or characters that no token has")
    return token
