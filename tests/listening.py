"""Where this process and its children listen."""

import ipaddress

import psutil


def listeners() -> list[str]:
    """Return where somebody can connect to this process or a child."""
    found = []
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        try:
            connections = process.net_connections("tcp")
        except psutil.Error:  # it has ended
            continue
        found += [one.laddr.ip for one in connections if one.status == psutil.CONN_LISTEN]
    return found


def is_loopback(place: str) -> bool:
    """Say whether only this machine can connect there."""
    address = ipaddress.ip_address(place)
    inner = getattr(address, "ipv4_mapped", None)
    return (inner or address).is_loopback
