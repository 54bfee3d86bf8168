#!/usr/bin/python3
"""Expected values of common/stats from SciPy and from plain definitions.

  oracle.py          writes cases.tsv and python.tsv beside this file
  oracle.py --check  computes both anew; exit 1 where the files say otherwise, 2 without SciPy

Nothing here comes from fleetmark's code. Exact p values: scipy.stats.mannwhitneyu without ties; with
ties all permutations, by scipy.stats.permutation_test where there are few and by integer counting
otherwise. Shifts: the sorted list of all differences. oracle.R reads cases.tsv for R's values.
"""
import math
import os
import sys
from fractions import Fraction

try:
    import numpy as np
    import scipy
    from scipy import stats
except ImportError as missing:
    print(f"can't judge: {missing} (Debian: python3-scipy)")
    sys.exit(2)

HERE = os.path.dirname(os.path.abspath(__file__))
LEVEL = 0.95
FEW_PERMUTATIONS = 200_000


def cases():
    """name -> (a, b); decimal texts of few digits, so that every reader has the same doubles."""
    out = {
        # Permeability constants of the human chorioamnion, Hollander and Wolfe (1973), p. 69 f.
        "hollander-wolfe": ([1.15, 0.88, 0.90, 0.74, 1.21],
                            [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]),
        "apart-3-3": ([1.0, 1.1, 1.2], [2.0, 2.2, 2.4]),
        "apart-4-4": ([1.0, 1.1, 1.2, 1.3], [2.0, 2.2, 2.4, 2.6]),
        "all-equal": ([7.0] * 4, [7.0] * 5),
        "one-tie": ([1.0, 2.0, 3.0, 4.0, 5.0], [3.0, 6.0, 7.0, 8.0, 9.0]),
        "skewed-ties": ([1.0, 1.0, 1.0, 1.0, 2.0, 3.0], [1.0, 4.0, 5.0, 6.0, 7.0]),
    }
    random = np.random.RandomState(20261130)

    def draw(n, shift, digits, spread=0.05):
        values = 1000 * np.exp(shift + spread * random.standard_normal(n))
        return [float(f"{value:.{digits}f}") for value in values]

    for n, m, shift in [(1, 1, 0), (1, 4, 0.1), (2, 9, -0.1), (5, 5, 0.01), (5, 7, 0.1), (8, 3, 0),
                        (10, 12, 0.04), (20, 20, -0.03), (30, 45, 0.02), (49, 49, 0.01),
                        (5, 120, 0.05), (60, 70, 0.02), (200, 300, 0.004), (7, 1000, 0.02)]:
        out[f"plain-{n}-{m}"] = (draw(n, 0, 6), draw(m, shift, 6))
    for n, m, shift, spread in [(5, 5, 0.001, 0.001), (9, 10, 0, 0.002), (40, 40, 0.001, 0.002),
                                (100, 120, 0.001, 0.002)]:
        out[f"ties-{n}-{m}"] = (draw(n, 0, 0, spread), draw(m, shift, 0, spread))
    return out


def by_counting(a, b):
    """Two-sided p over all permutations of the midranks, with integers."""
    scores = [int(round(2 * rank)) for rank in stats.rankdata(a + b)]
    seen = sum(scores[:len(a)])
    ways = [dict() for _ in range(len(a) + 1)]
    ways[0][0] = 1
    for score in scores:
        for taken in range(len(a), 0, -1):
            for total, count in ways[taken - 1].items():
                ways[taken][total + score] = ways[taken].get(total + score, 0) + count
    final = ways[len(a)]
    everything = math.comb(len(scores), len(a))
    assert sum(final.values()) == everything
    lower = sum(count for total, count in final.items() if total <= seen)
    upper = sum(count for total, count in final.items() if total >= seen)
    return float(min(Fraction(1), Fraction(2 * min(lower, upper), everything)))


def by_permutation(a, b):
    def rank_sum(x, y, axis=-1):
        del y
        return np.sum(x, axis=axis)
    ranks = stats.rankdata(a + b)
    return stats.permutation_test((ranks[:len(a)], ranks[len(a):]), rank_sum, vectorized=True,
                                  n_resamples=np.inf, batch=20_000).pvalue


def of_case(a, b):
    ties = len(set(a + b)) < len(a) + len(b)
    feasible = min(len(a), len(b)) * (len(a) + len(b)) <= 5000
    out = {"u": stats.mannwhitneyu(b, a, method="asymptotic").statistic}
    if not feasible:
        out["p"] = stats.mannwhitneyu(b, a, method="asymptotic", use_continuity=True).pvalue
    elif not ties:
        out["p"] = stats.mannwhitneyu(b, a, method="exact").pvalue
    else:
        out["p"] = by_counting(a, b)
        if math.comb(len(a) + len(b), len(a)) <= FEW_PERMUTATIONS:
            assert math.isclose(out["p"], by_permutation(a, b), rel_tol=1e-12)
    differences = np.sort(np.subtract.outer(np.log(b), np.log(a)), axis=None)
    out["ratio"] = math.exp(np.median(differences))
    n, m = len(a), len(b)
    if not feasible:
        # Hollander and Wolfe's large-sample rank, with the continuity correction.
        z = stats.norm.isf((1 - LEVEL) / 2)
        k = max(1, math.floor(n * m / 2 - z * math.sqrt(n * m * (n + m + 1) / 12) + 0.5))
        out["low"], out["high"] = math.exp(differences[k - 1]), math.exp(differences[n * m - k])
    return out


def coverage(count_a, count_b, samples, between, within, rounds=400, replicates=199):
    """How often a 95 % interval by machines first, samples second, holds the true ratio of 1."""
    random = np.random.RandomState(7)
    held = 0
    for _ in range(rounds):
        medians = []
        for count in (count_a, count_b):
            logs = (between * random.standard_normal((count, 1))
                    + within * random.standard_normal((count, samples)))
            machines = random.randint(count, size=(replicates, count))
            drawn = random.randint(samples, size=(replicates, count, samples))
            medians.append(np.median(logs[machines[:, :, None], drawn], axis=2))
        pairs = medians[1][:, :, None] - medians[0][:, None, :]
        ratios = np.sort(np.median(pairs.reshape(replicates, -1), axis=1))
        low = ratios[math.ceil(replicates * 0.025) - 1]
        high = ratios[math.ceil(replicates * 0.975) - 1]
        held += low <= 0 <= high
    return held / rounds


# instances of A, of B, samples, deviation of log values between and within machines
COVERAGE = [(4, 4, 5, 0.05, 0.02), (5, 5, 5, 0.05, 0.02), (10, 10, 5, 0.05, 0.02),
            (20, 20, 5, 0.05, 0.02), (10, 10, 5, 0.01, 0.05)]


def tables():
    inputs, results = [], [("-", "scipy", scipy.__version__)]
    for name, (a, b) in cases().items():
        inputs.append((name, " ".join(map(repr, a)), " ".join(map(repr, b))))
        results += [(name, key, repr(float(value))) for key, value in of_case(a, b).items()]
    for setting in COVERAGE:
        name = "coverage " + " ".join(map(str, setting))
        results.append((name, "coverage", repr(coverage(*setting))))
    return {"cases.tsv": inputs, "python.tsv": results}


def same(ours, theirs):
    if ours == theirs or ours[1] == "scipy":
        return True
    try:
        return ours[:2] == theirs[:2] and math.isclose(float(ours[2]), float(theirs[2]), rel_tol=1e-9)
    except ValueError:
        return False


def main():
    wrong = 0
    for name, rows in tables().items():
        path = os.path.join(HERE, name)
        if sys.argv[1:] != ["--check"]:
            with open(path, "w", encoding="utf-8") as out:
                out.writelines("\t".join(row) + "\n" for row in rows)
            continue
        with open(path, encoding="utf-8") as lines:
            stored = [tuple(line.rstrip("\n").split("\t")) for line in lines]
        if len(stored) != len(rows):
            print(f"{name} has {len(stored)} rows, {len(rows)} were computed")
            wrong += 1
        for ours, theirs in zip(rows, stored):
            if not same(ours, theirs):
                print(f"{name} says {theirs}, computed was {ours}"[:400])
                wrong += 1
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
