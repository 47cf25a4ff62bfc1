"""Owns org.freedesktop.Notifications on a bus and answers: GetCapabilities with those of the command line, Notify with 7.

Arguments: the bus's socket, the capabilities with commas between them. Standard library only.
"""

import os
import socket
import struct
import sys


def align(data, to):
    return data + b"\0" * (-len(data) % to)


def string(text):
    text = text.encode()
    return struct.pack("<I", len(text)) + text + b"\0"


def field(code, signature, value):
    return struct.pack("<BB", code, 1) + signature + b"\0" + value


def message(kind, serial, fields, body=b""):
    head = b""
    for part in fields:
        head = align(head, 8) + part
    return align(struct.pack("<cBBBIII", b"l", kind, 0, 1, len(body), serial, len(head)) + head, 8) + body


def call(serial, member, signature=None, body=b""):
    fields = [
        field(1, b"o", string("/org/freedesktop/DBus")),
        field(2, b"s", string("org.freedesktop.DBus")),
        field(3, b"s", string(member)),
        field(6, b"s", string("org.freedesktop.DBus")),
    ]
    if signature:
        fields.append(field(8, b"g", bytes([len(signature)]) + signature + b"\0"))
    return message(1, serial, fields, body)


def exactly(stream, count):
    data = stream.read(count)
    if len(data) < count:
        sys.exit(0)
    return data


def receive(stream):
    head = exactly(stream, 16)
    order = "<" if head[:1] == b"l" else ">"
    body, serial, fields = struct.unpack(order + "III", head[4:])
    rest = exactly(stream, fields + -fields % 8 + body)
    found, at = {}, 0
    while at < fields:
        at += -at % 8
        code, size = rest[at], rest[at + 1]
        signature = rest[at + 2 : at + 2 + size]
        at += 3 + size
        if signature == b"u":
            at += -at % 4
            found[code] = struct.unpack_from(order + "I", rest, at)[0]
            at += 4
        else:
            wide = signature in (b"s", b"o")
            at += -at % 4 if wide else 0
            length = struct.unpack_from(order + "I", rest, at)[0] if wide else rest[at]
            at += 4 if wide else 1
            found[code] = rest[at : at + length].decode()
            at += length + 1
    return head[1], serial, found


def main():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(sys.argv[1])
    connection.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\nBEGIN\r\n")
    stream = connection.makefile("rb")
    assert stream.readline().startswith(b"OK")
    connection.sendall(call(1, "Hello"))
    connection.sendall(call(2, "RequestName", b"su", align(string("org.freedesktop.Notifications"), 4) + b"\4\0\0\0"))
    capabilities = b""
    for name in sys.argv[2].split(","):
        capabilities = align(capabilities, 4) + string(name)
    serial = 2
    while True:
        kind, number, fields = receive(stream)
        if kind == 2 and fields.get(5) == 2:
            print("ready", flush=True)
        if kind != 1:
            continue
        answers = {
            "GetCapabilities": (b"as", struct.pack("<I", len(capabilities)) + capabilities),
            "Notify": (b"u", struct.pack("<I", 7)),
        }
        signature, body = answers[fields[3]]
        serial += 1
        reply = [
            field(5, b"u", struct.pack("<I", number)),
            field(6, b"s", string(fields[7])),
            field(8, b"g", bytes([len(signature)]) + signature + b"\0"),
        ]
        connection.sendall(message(2, serial, reply, body))


main()
