def test_info_of_the_bundled_table(run, bundled):
    said = run("tables", "info").stdout.decode()

    assert "50,000" in said
    assert bundled.fingerprint in said


def test_check_recomputes_the_fingerprint(run, tmp_path):
    (tmp_path / "t.txt").write_text("rain 0 0\nsnow 0 9\n", encoding="utf-8")
    run("tables", "build", "t.txt", "-o", "t.safetensors")
    assert b"recomputed" in run("tables", "info", "t.safetensors", "--check").stdout

    path = tmp_path / "t.safetensors"
    content = bytearray(path.read_bytes())
    content[-12] ^= 1
    path.write_bytes(content)
    run("tables", "info", "t.safetensors")
    assert b"changed" in run("tables", "info", "t.safetensors", "--check", code=2).stderr
    assert b"changed" in run("obfuscate", "--table", "t.safetensors", stdin=b"rain", code=2).stderr


def test_build_refuses_to_overwrite_and_to_guess(run, tmp_path):
    (tmp_path / "t.txt").write_text("rain 0 0\nsnow 0 9\n", encoding="utf-8")
    run("tables", "build", "t.txt", "-o", "t.txt", code=2)
    run("tables", "build", "nowhere", "-o", "x.safetensors", code=2)
    (tmp_path / "bad.txt").write_text("rain 0 0\nsnow 0\n", encoding="utf-8")

    assert b"line 2" in run("tables", "build", "bad.txt", "-o", "x.safetensors", code=2).stderr
    assert not (tmp_path / "x.safetensors").exists()


def test_a_table_knows_its_language(run, tmp_path):
    (tmp_path / "t.txt").write_text("pluie 0 0\nneige 0 9\navec 3 3\n", encoding="utf-8")
    run("tables", "build", "t.txt", "-o", "t.safetensors", "--language", "fr")
    done = run(
        "obfuscate", "--table", "t.safetensors", "--size", "9", stdin="L'été, la pluie".encode()
    )

    assert set(done.stdout.decode().split()) <= {"pluie", "neige"}
    run("obfuscate", "--table", "t.safetensors", "--language", "en", stdin=b"pluie", code=2)


def test_help_and_version(run):
    assert b"obfuscate" in run("--help").stdout
    assert b"--epsilon" in run("obfuscate", "-h").stdout
    assert b"0.1.0" in run("--version").stdout
