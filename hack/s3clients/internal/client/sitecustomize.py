"""Makes Python find hosts that end in .localhost on this machine (RFC 6761).

Python imports a module of this name when it starts, if it is in PYTHONPATH.
"""
import socket

_getaddrinfo = socket.getaddrinfo


def _find(host, *args, **kwargs):
    name = host.decode() if isinstance(host, bytes) else host
    if name and name.endswith(".localhost"):
        name = "127.0.0.1"
    return _getaddrinfo(name, *args, **kwargs)


socket.getaddrinfo = _find
