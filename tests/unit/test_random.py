"""The keystream is the standard's, and no two users of it ever draw the same."""

import copy
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from nomdeplume import InputError, PrivacyError, secure, seeded
from nomdeplume.privacy.random import is_private, keystream

# RFC 8439, appendix A.1: key, block counter and nonce as one 128-bit number, keystream block
VECTORS = {
    1: (
        "00" * 32,
        0,
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
        "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
    ),
    2: (
        "00" * 32,
        1,
        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
        "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
    ),
    3: (
        "00" * 31 + "01",
        1,
        "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
        "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0",
    ),
    4: (
        "00ff" + "00" * 30,
        2,
        "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"
        "13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096",
    ),
    5: (
        "00" * 32,
        0x02000000 << 96,
        "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"
        "8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d",
    ),
}


@pytest.mark.parametrize("vector", VECTORS.values(), ids=VECTORS.keys())
def test_keystream_is_chacha20(vector):
    key, counter, block = vector

    assert keystream(bytes.fromhex(key), 1, counter=counter).hex() == block


def test_a_generator_draws_from_that_keystream():
    drawn = seeded(0).bit_generator.random_raw(16).astype("<u8").tobytes()

    assert drawn == keystream(bytes(32), 2)


def test_two_secure_generators_differ():
    assert secure().bytes(32) != secure().bytes(32)


def test_a_seed_repeats_itself_and_is_not_private():
    assert seeded(7).bytes(32) == seeded(7).bytes(32)
    assert seeded(7).bytes(32) != seeded(8).bytes(32)
    assert is_private(secure())
    assert not is_private(seeded(7))
    assert not is_private(np.random.default_rng())


@pytest.mark.parametrize("seed", [-1, 2**64, "a", 1.5])
def test_an_impossible_seed_is_refused(seed):
    with pytest.raises(InputError):
        seeded(seed)


@pytest.mark.parametrize("copier", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_secure_generator_cannot_be_copied(copier):
    with pytest.raises(PrivacyError, match="in each worker"):
        copier(secure())
    with pytest.raises(PrivacyError, match="in each worker"):
        copier(secure().bit_generator)


def test_spawned_generators_differ():
    children = secure().spawn(3)

    assert len({child.bytes(32) for child in children}) == 3
    assert all(map(is_private, children))


def test_threads_that_share_a_generator_draw_different_parts():
    rng = secure()
    with ThreadPoolExecutor(8) as pool:
        drawn = list(pool.map(lambda _: rng.integers(0, 2**63, 100), range(200)))

    assert len(np.unique(np.concatenate(drawn))) == 200 * 100


FORKS = """
import os
from nomdeplume import secure

rng = secure()
rng.bytes(8)
pipes = []
for _ in range(4):
    read, write = os.pipe()
    if os.fork() == 0:
        os.write(write, rng.bytes(32) + secure().bytes(32))
        os._exit(0)
    pipes.append(read)
streams = [rng.bytes(32)] + [os.read(pipe, 64) for pipe in pipes]
parts = [s[i:i + 32] for s in streams for i in range(0, len(s), 32)]
print(len(parts), len(set(parts)))
"""


def test_forked_children_never_share_a_stream():
    done = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["9", "9"]


def test_forked_children_would_share_a_plain_generator():
    """The test above can fail: a generator without the precaution repeats itself."""
    plain = FORKS.replace("rng = secure()", "from nomdeplume import seeded; rng = seeded(1)")
    done = subprocess.run([sys.executable, "-c", plain], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["9", "5"]


UNKEYED = """
import ctypes, os, sys
import numpy as np
import nomdeplume.privacy.random as random
from nomdeplume import PrivacyError, secure

def broken():
    raise OSError("no entropy")

def fork():
    if sys.argv[1] == "hook fails":
        random._secret_stream = broken
        return os.fork()
    return ctypes.PyDLL(None).fork()  # Python's hooks do not run

rng = secure()
rng.standard_normal(4)
names = [name for name in dir(np.random.Generator) if not name.startswith("_")]
child = fork()
if child == 0:
    refused = []
    for name in sorted({*names} - {"spawn"}):
        try:
            draw = getattr(rng, name)  # bit_generator is refused here
            draw()
        except PrivacyError:
            refused.append(name)
        except TypeError:
            pass  # the arguments would have been looked at: the draw was not refused
    os.write(1, f"{len(refused)} of {len(names) - 1}".encode())
    os._exit(0)
os.waitpid(child, 0)
"""


@pytest.mark.parametrize("way", ["hook fails", "hook does not run"])
def test_a_forked_generator_that_was_not_keyed_anew_refuses_every_draw(way):
    command = [sys.executable, "-W", "ignore", "-c", UNKEYED, way]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    refused, all_draws = map(int, done.stdout.split(" of "))

    assert refused == all_draws > 40


BUSY = """
import os, threading, time
from nomdeplume import secure

rng = secure()
threading.Thread(target=lambda: [rng.standard_normal(2_000_000) for _ in range(40)]).start()
time.sleep(0.05)
children = []
for _ in range(5):
    child = os.fork()
    if child == 0:
        rng.bytes(8)
        os._exit(0)
    children.append(child)
deadline = time.monotonic() + 600
alive = set(children)
while alive and time.monotonic() < deadline:
    alive -= {child for child in alive if os.waitpid(child, os.WNOHANG)[0]}
    time.sleep(0.02)
for child in alive:
    os.kill(child, 9)
print(len(alive))
"""


def test_a_fork_in_the_middle_of_a_draw_does_not_hang():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BUSY], capture_output=True, text=True, check=True
    )

    assert done.stdout == "0\n"


WORKERS = """
import multiprocessing, sys
from nomdeplume import Obfuscator

obfuscator = Obfuscator.laplace(size=40)

def work(_):
    [document] = obfuscator(["river"])
    return document.text

if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(4) as pool:
        released = pool.map(work, range(16), chunksize=1)
    print(len(released), len(set(released)))
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes_never_release_alike(method, tmp_path):
    script = tmp_path / "workers.py"
    script.write_text(WORKERS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script), method], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["16", "16"]
