"""The network addresses on which this process and its children listen."""

import ipaddress

import psutil


def listeners() -> list[str]:
    """Return the addresses on which this process or a child accepts connections."""
    found = []
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        try:
            connections = process.net_connections("tcp")
        except psutil.Error:  # the process has ended
            continue
        found += [one.laddr.ip for one in connections if one.status == psutil.CONN_LISTEN]
    return found


def is_loopback(ip: str) -> bool:
    """Return whether only this machine can connect to an address."""
    address = ipaddress.ip_address(ip)
    inner = getattr(address, "ipv4_mapped", None)
    return (inner or address).is_loopback
