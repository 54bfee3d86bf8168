#!/usr/bin/env python3
"""Computes the check value of fleetmark-int version 1 without any of its code: lists are Python
lists, sorting is Python's, CRC-32 is zlib's, text is scanned by regular expressions where they can
say the same. Prints the value that stands in agent/probes/cpu/int_kernel.h as kCheck."""
import zlib

M32 = 0xFFFFFFFF
WORDS = ["5012", "1234", "-874", "+122", "35.54400", ".1234500", "-110.700", "+0.64400",
         "5.5e+3", "-.123e-2", "-87e+8", "+0.6e-12", "T0.3e-1F", "-T.T++Tq", "1T3.4e4z", "34.0e-T^"]


def stream(state=0x20261130):
    while True:
        state ^= (state << 13) & M32
        state ^= state >> 17
        state ^= (state << 5) & M32
        yield state


def data_set():
    fill = stream()
    nodes = []
    for _ in range(83):
        value = next(fill)
        nodes.append((value & 0x7FFF, value >> 16))
    a = [next(fill) >> 20 for _ in range(81)]
    b = [next(fill) >> 20 for _ in range(81)]
    text = ""
    while len(text) < 688:
        text += WORDS[next(fill) >> 28][:687 - len(text)] + ","
    return nodes, a, b, text


def list_work(nodes):
    out = b""
    keys = [key for key, _ in nodes]
    for search in range(16):
        if search % 2:
            out += bytes([len(keys)])
        else:
            out += bytes([keys.index(keys[search * 5])])
    # Reversed first: equal keys come out in reverse order of the original.
    ordered = sorted(reversed(nodes), key=lambda node: node[0])
    for place, (_, info) in enumerate(ordered):
        if place % 4 == 0:
            out += info.to_bytes(2, "little")
    return out


def matrix_work(a, b):
    out = b""
    a = [(cell + 0x155) & 0xFFFF for cell in a]
    for row in range(9):
        folded = 0
        for column in range(9):
            total = a[row * 9 + column] * 0x2545
            for k in range(9):
                product = a[row * 9 + k] * b[k * 9 + column]
                total += (product // 4 % 16) * (product // 32 % 128) + product
            folded = (((folded << 3) | (folded >> 29)) & M32) ^ (total & M32)
        out += folded.to_bytes(4, "little")
    return out


# state -> list of (letters, next state); anything else is broken
DIGITS = "0123456789"
TABLE = {
    "start": [(DIGITS, "integer"), ("+-", "sign"), (".", "point")],
    "sign": [(DIGITS, "integer"), (".", "point")],
    "integer": [(DIGITS, "integer"), (".", "fraction"), ("e", "exponent")],
    "point": [(DIGITS, "fraction")],
    "fraction": [(DIGITS, "fraction"), ("e", "exponent")],
    "exponent": [("+-", "exponent sign"), (DIGITS, "scientific")],
    "exponent sign": [(DIGITS, "scientific")],
    "scientific": [(DIGITS, "scientific")],
    "broken": [],
}


def scan(text):
    ends = dict.fromkeys(TABLE, 0)
    visits = dict.fromkeys(TABLE, 0)
    for word in text.split(",")[:-1]:
        state = "start"
        for letter in word:
            state = next((to for letters, to in TABLE[state] if letter in letters), "broken")
            visits[state] += 1
        ends[state] += 1
    return b"".join(((ends[s] << 16) | visits[s]).to_bytes(4, "little") for s in TABLE)


def check_value():
    nodes, a, b, text = data_set()
    assert len(text) == 688
    damaged = "".join(chr(ord(letter) ^ 0x40) if i % 7 == 0 and letter != "," else letter
                      for i, letter in enumerate(text))
    return zlib.crc32(list_work(nodes) + matrix_work(a, b) + scan(text) + scan(damaged))


print(f"0x{check_value():08x}")
