#!/usr/bin/python3
"""xoshiro256** (Blackman and Vigna) written from its definition, for the constants in random_test.cpp.

  xoshiro_reference.py SEED            the first outputs
  xoshiro_reference.py SEED COUNT      0..COUNT-1 shuffled as SeededRandom::shuffle does
"""
import sys

MASK = (1 << 64) - 1


def split_mix(state):
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def rotate(x, k):
    return ((x << k) | (x >> (64 - k))) & MASK


def outputs(s):
    s = list(s)
    while True:
        yield (rotate((s[1] * 5) & MASK, 7) * 9) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotate(s[3], 45)


def seeded(seed):
    mixer = split_mix(seed)
    return outputs([next(mixer) for _ in range(4)])


def below(source, bound):
    reject = (1 << 64) % bound
    while True:
        value = next(source)
        if value >= reject:
            return value % bound


def shuffled(seed, count):
    source = seeded(seed)
    items = list(range(count))
    for i in range(count, 1, -1):
        j = below(source, i)
        items[i - 1], items[j] = items[j], items[i - 1]
    return items


# Outputs that the algorithm's other implementations publish for the state 1, 2, 3, 4.
check = outputs([1, 2, 3, 4])
assert [next(check) for _ in range(4)] == [11520, 0, 1509978240, 1215971899390074240]

if len(sys.argv) == 2:
    source = seeded(int(sys.argv[1]))
    print(*(hex(next(source)) for _ in range(4)))
elif len(sys.argv) == 3:
    print(*shuffled(int(sys.argv[1]), int(sys.argv[2])))
