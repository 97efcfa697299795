"""Tests of scripts/setup, scripts/build, scripts/test and scripts/lit, on a small project with two suites."""

import re
import shutil
import unittest

from scratch import REPOSITORY, ScratchTest

# A fake of dpkg-query: reports every package as installed, except the missing one.
DPKG_QUERY = """shift 2
for package; do [ "$package" = "{missing}" ] || echo "installed $package"; done
[ -z "{missing}" ]
"""

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES NONE)
enable_testing()
add_custom_target(stamp ALL COMMAND ${CMAKE_COMMAND} -E touch stamp-${TILERIG_SANITIZE})
add_test(NAME works COMMAND ${CMAKE_COMMAND} -E echo "sanitized: ${TILERIG_SANITIZE}")
add_subdirectory(tests)
"""

SLOW_SUITE = """add_test(NAME slowly COMMAND ${CMAKE_COMMAND} -E false)
set_tests_properties(slowly PROPERTIES LABELS slow WILL_FAIL ON)
"""


class Setup(ScratchTest):
    def setUp(self):
        super().setUp()
        self.fake("apt-get", f'echo "$* $DEBIAN_FRONTEND" >>{self.root}/calls')

    def calls(self):
        file = self.root / "calls"
        return file.read_text().splitlines() if file.exists() else []

    def test_with_everything_there_does_nothing(self):
        self.fake("dpkg-query", DPKG_QUERY.format(missing=""))
        self.fake("id", "echo 1000")
        self.assertEqual(self.assert_accepted("setup"), "")
        self.assertEqual(self.calls(), [])

    def test_without_root_says_the_one_command(self):
        self.fake("id", "echo 1000")
        # The name "python3" is also a prefix of other packages' names, which must not count.
        for package in ["zlib1g-dev", "python3"]:
            self.fake("dpkg-query", DPKG_QUERY.format(missing=package))
            self.assert_reported(f"Missing packages: {package}\nInstall them with: sudo scripts/setup\n", "setup")
        self.assertEqual(self.calls(), [])

    def test_the_demo_needs_fewer_packages(self):
        self.fake("id", "echo 1000")
        self.fake("dpkg-query", DPKG_QUERY.format(missing="libtorch-dev"))
        self.assertEqual(self.assert_accepted("setup", "--demo"), "")
        self.fake("dpkg-query", DPKG_QUERY.format(missing="cmake"))
        self.assert_reported("Install them with: sudo scripts/setup --demo\n", "setup", "--demo")
        code, output = self.run_script("setup", "--all")
        self.assertEqual(code, 2)
        self.assertIn("usage: scripts/setup", output)

    def test_as_root_installs_what_is_missing_and_only_that(self):
        self.fake("dpkg-query", DPKG_QUERY.format(missing="zlib1g-dev"))
        self.fake("id", "echo 0")
        self.assert_accepted("setup")
        update, install = self.calls()
        self.assertIn("update", update)
        self.assertRegex(install, "install .*-y --no-install-recommends zlib1g-dev noninteractive$")

    def test_an_installation_that_fails_is_reported(self):
        self.fake("dpkg-query", DPKG_QUERY.format(missing="zlib1g-dev"))
        self.fake("id", "echo 0")
        self.fake("apt-get", 'case "$*" in *install*) exit 100 ;; esac')
        code, _ = self.run_script("setup")
        self.assertEqual(code, 100)


class BuildAndTest(ScratchTest):
    def setUp(self):
        super().setUp()
        self.fake("dpkg-query", DPKG_QUERY.format(missing=""))
        shutil.copy(REPOSITORY / "CMakePresets.json", self.root)
        self.write("CMakeLists.txt", PROJECT)
        self.write("tests/CMakeLists.txt", SLOW_SUITE)

    def run_tests(self, *words):
        code, output = self.run_script("test", *words)
        return code, output, output.splitlines()

    def assert_verdict(self, passed, failed, *words):
        code, output, lines = self.run_tests(*words)
        self.assertEqual(code == 0, failed == 0, output)
        self.assertRegex(lines[-1], f"^[0-9]+% tests passed, {failed} tests failed out of {passed + failed}$")
        return output

    def assert_suites(self, output, *expected):
        """Expects exactly one line for each suite in the output: the line with its result."""
        suites = re.findall(r"^.* Test +#[0-9]+: (\S+) ", output, re.MULTILINE)
        self.assertEqual(sorted(suites), sorted(expected), output)
        self.assertNotIn("Start", output)

    def test_build_takes_a_preset_and_targets(self):
        self.assert_accepted("build")
        self.assertTrue((self.root / "build/stamp-").exists())
        self.assert_accepted("build", "asan", "stamp")
        self.assertTrue((self.root / "build-asan/stamp-ON").exists())
        code, output = self.run_script("build", "no-such-target")
        self.assertNotEqual(code, 0)
        self.assertIn("no-such-target", output)

    def test_build_of_a_copied_tree_builds_the_copy(self):
        self.assert_accepted("build")
        original, self.root = self.root, self.root.parent / "copy"
        shutil.copytree(original, self.root)
        for tree in [original, self.root]:
            (tree / "build/stamp-").unlink()
        self.assertIn(f"build was configured for {original}", self.assert_accepted("build"))
        self.assertTrue((self.root / "build/stamp-").exists())
        self.assertFalse((original / "build/stamp-").exists())
        self.assertEqual(self.assert_accepted("build").count("configured for"), 0)

    def test_build_of_a_tree_reached_through_a_link_keeps_its_folder(self):
        self.assert_accepted("build")
        original, self.root = self.root, self.root.parent / "link"
        self.root.symlink_to(original)
        self.assertNotIn("configured for", self.assert_accepted("build"))

    def test_build_reports_a_configuration_that_fails(self):
        self.write("tests/CMakeLists.txt", 'message(FATAL_ERROR "no such library")\n')
        for _ in range(2):
            code, output = self.run_script("build")
            self.assertNotEqual(code, 0)
            self.assertIn("no such library", output)

    def test_everything_passes(self):
        output = self.assert_verdict(4, 0)
        self.assert_suites(output, "works", "slowly", "asan/works", "asan/slowly")
        self.assertTrue(output.endswith("\n100% tests passed, 0 tests failed out of 4\n"), output)

    def test_a_second_run_says_the_same(self):
        self.run_tests("--fast")
        self.assert_verdict(4, 0)
        self.assert_verdict(4, 0)
        self.assert_suites(self.assert_verdict(1, 0, "--fast"), "works")

    def test_a_failure_anywhere_is_a_failure(self):
        for condition, names in [("NOT TILERIG_SANITIZE", ["broken"]), ("TILERIG_SANITIZE", ["asan/broken"])]:
            test = "add_test(NAME broken COMMAND ${CMAKE_COMMAND} -E cat no-such-file)"
            self.write("tests/CMakeLists.txt", f"if({condition})\n{test}\nendif()\n")
            output = self.assert_verdict(2, 1)
            self.assert_suites(output, "works", "asan/works", *names)
            self.assertIn("no-such-file", output)
            self.assertRegex(output, f"- {names[0]} \\(Failed\\)")

    def test_what_a_suite_prints_is_not_the_verdict(self):
        claim = "100% tests passed, 0 tests failed out of 99"
        file = self.write("claim", claim + "\n")
        self.write("tests/CMakeLists.txt", f"add_test(NAME broken COMMAND grep -hv nothing {file} no-such-file)\n")
        self.assertEqual(self.assert_verdict(2, 2).splitlines().count(claim), 2)

    def test_a_build_that_fails_ends_without_a_verdict(self):
        self.write("tests/CMakeLists.txt", "add_custom_target(broken ALL COMMAND false)\n")
        code, output, _ = self.run_tests()
        self.assertNotEqual(code, 0)
        self.assertNotIn("tests passed", output)

    def test_a_name_selects_suites_in_any_case(self):
        self.assert_suites(self.assert_verdict(2, 0, "WORKS"), "works", "asan/works")
        self.assert_suites(self.assert_verdict(1, 0, "--fast", "work"), "works")

    def test_a_name_that_selects_nothing_is_an_error(self):
        code, output, _ = self.run_tests("nothing-like-that")
        self.assertNotEqual(code, 0)
        self.assertNotIn("tests passed", output)

    def test_an_option_it_does_not_know_shows_the_usage(self):
        for script in ["test", "build"]:
            code, output = self.run_script(script, "--unknown")
            self.assertEqual(code, 2)
            self.assertIn(f"usage: scripts/{script}", output)


class Lit(ScratchTest):
    """scripts/lit runs the named tests, or all, with the LLVM tools that the build has found."""

    def setUp(self):
        super().setUp()
        self.fake_lit = self.write("llvm/bin/lit", '#!/bin/sh\necho "$@"\n')
        self.fake_lit.chmod(0o755)
        self.write("build/CMakeCache.txt", f"LLVM_DIR:PATH={self.root}/llvm/lib/cmake/llvm\n")
        (self.root / "build/bin").mkdir()
        (self.root / "llvm/lib/cmake/llvm").mkdir(parents=True)

    def words(self, *words):
        return self.assert_accepted("lit", "--commands", self.root / "build/bin", *words).split()

    def test_hands_folders_of_the_build_and_the_file_to_lit(self):
        words = self.words("/some/file.mlir")
        self.assertEqual(words[-1], "/some/file.mlir")
        self.assertIn(f"tools={self.root}/build/bin", words)
        self.assertIn(f"exec_root={self.root}/build/tests/lit", words)

    def test_without_a_file_runs_them_all(self):
        self.assertEqual(self.words()[-1], f"{self.root}/tests/lit")

    def test_an_option_it_does_not_know_shows_the_usage(self):
        code, output = self.run_script("lit", "--unknown")
        self.assertEqual(code, 2)
        self.assertIn("usage: scripts/lit", output)


if __name__ == "__main__":
    unittest.main()
