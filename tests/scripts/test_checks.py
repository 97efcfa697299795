"""Tests of the checks of the repository: each accepts a valid tree, and reports every kind of violation."""

import shutil
import unittest

from scratch import REPOSITORY, ScratchTest


class Layering(ScratchTest):
    def setUp(self):
        super().setUp()
        self.write("isa/Base/Support/Error.h", "#pragma once\n#include <string>\n")
        self.write("isa/Base/Tensor/Tensor.h", '#pragma once\n#include "isa/Base/Support/Error.h"\n')
        self.write("isa/Base/Tensor/Tensor.cpp", '#include "isa/Base/Tensor/Tensor.h"\n#include <vector>\n')
        self.write("isa/Program/Metadata.proto")
        self.write("isa/Program/Program.h", '#pragma once\n#include "isa/Program/Metadata.pb.h"\n')
        self.write("emulator/Run.cpp", '#include "isa/Program/Program.h"\n')
        self.write("verify/Evidence/Picture.h", '#pragma once\n#include "isa/Base/Tensor/Tensor.h"\n')
        self.write("compiler/Pipelines/Pass.h", "#pragma once\n")

    def assert_breaks(self, expected, path, text):
        self.write(path, text)
        output = self.assert_reported(expected, "check-layering")
        self.assertEqual(output.count("\n"), 1, "one violation, one line:\n" + output)

    def test_accepts_a_tree_in_order(self):
        self.assertEqual(self.assert_accepted("check-layering"), "7 files, all includes are allowed\n")

    def test_reports_a_tree_without_sources(self):
        for top in ["isa", "emulator", "verify", "compiler"]:
            shutil.rmtree(self.root / top)
        self.assert_reported("0 files", "check-layering")

    def test_a_lower_layer_may_not_see_a_higher_one(self):
        self.assert_breaks(
            "isa/Base/Support/File.h:2: isa/Base/Support must not include isa/Base/Tensor/Tensor.h",
            "isa/Base/Support/File.h",
            '#pragma once\n#include "isa/Base/Tensor/Tensor.h"\n',
        )

    def test_isa_sees_nothing_else_of_ours(self):
        self.assert_breaks(
            "isa/Tools must not include compiler/Pipelines/Pass.h", "isa/Tools/Ask.cpp", '#include "compiler/Pipelines/Pass.h"\n'
        )

    def test_the_emulator_never_sees_the_compiler(self):
        self.assert_breaks("emulator must not include", "emulator/Deep/Load.cpp", '  #  include "compiler/Pipelines/Pass.h"\n')

    def test_angle_brackets_hide_nothing(self):
        self.assert_breaks("emulator must not include", "emulator/Load.cpp", "#include <compiler/Pipelines/Pass.h>\n")

    def test_the_reference_sees_tensors_only(self):
        self.write("reference/Run.cpp", '#include "isa/Base/Tensor/Tensor.h"\n')
        self.assert_accepted("check-layering")
        self.assert_breaks(
            "reference must not include isa/Program/Program.h", "reference/Ops.cpp", '#include "isa/Program/Program.h"\n'
        )

    def test_the_classifier_sees_the_evidence_only(self):
        self.write("classifier/Load.cpp", '#include "verify/Evidence/Picture.h"\n')
        self.assert_accepted("check-layering")
        self.write("verify/Compare.h", "#pragma once\n")
        self.assert_breaks(
            "classifier must not include verify/Compare.h", "classifier/Train.cpp", '#include "verify/Compare.h"\n'
        )

    def test_no_two_folders_need_each_other(self):
        table = self.root / "scripts/check-layering"
        table.write_text(table.read_text().replace('"isa/Base/Support": [],', '"isa/Base/Support": ["isa/Numerics"],'))
        self.write("isa/Numerics/Half.h", '#pragma once\n#include "isa/Base/Support/Error.h"\n')
        self.assert_accepted("check-layering")
        self.write("isa/Numerics/Bits.h", "#pragma once\n")
        self.assert_breaks(
            "cycle of folders: isa/Base/Support -> isa/Numerics -> isa/Base/Support",
            "isa/Base/Support/Text.h",
            '#pragma once\n#include "isa/Numerics/Bits.h"\n',
        )

    def test_the_longest_row_counts(self):
        table = self.root / "scripts/check-layering"
        table.write_text(table.read_text().replace('"verify": [', '"verify/Evidence": [],\n    "verify": ['))
        self.assert_reported("verify/Evidence must not include isa/Base/Tensor/Tensor.h", "check-layering")

    def test_tests_may_see_all(self):
        self.write("tests/unit/AllTest.cpp", '#include "compiler/Pipelines/Pass.h"\n#include "verify/Evidence/Picture.h"\n')
        self.assert_accepted("check-layering")

    def test_a_name_that_begins_alike_is_another_folder(self):
        self.write("isa/SupportMore/Extra.h", "#pragma once\n")
        self.assert_reported("isa/SupportMore/Extra.h: its folder has no row in the table", "check-layering")

    def test_includes_are_written_from_the_root(self):
        self.assert_breaks("included file Tensor.h does not exist", "isa/Base/Tensor/File.cpp", '#include "Tensor.h"\n')

    def test_a_generated_header_needs_its_origin(self):
        self.assert_breaks(
            "included file isa/Program/Other.pb.h does not exist", "isa/Program/Other.cpp", '#include "isa/Program/Other.pb.h"\n'
        )

    def test_a_generated_part_needs_its_recipe(self):
        self.write("isa/Machine/BuiltIn.cpp", '#include "isa/Machine/BuiltIn.inc"\n')
        self.assert_reported("included file isa/Machine/BuiltIn.inc does not exist", "check-layering")
        self.write("isa/Machine/CMakeLists.txt", "add_custom_command(OUTPUT BuiltIn.inc)\n")
        self.assert_accepted("check-layering")

    def test_a_header_needs_its_guard(self):
        self.assert_breaks(
            "isa/Base/Support/Bare.h: the header has no include guard; expected a line that ends with #pragma once",
            "isa/Base/Support/Bare.h",
            "// #pragma once\n",
        )

    def test_a_header_compiled_for_each_target_needs_its_toggle(self):
        toggle = "#if defined(SUM_INL_H_) == defined(HWY_TARGET_TOGGLE)\n"
        self.write("isa/Numerics/Sum-inl.h", toggle)
        self.assert_accepted("check-layering")
        self.assert_breaks("isa/Numerics/Bare-inl.h: the header has no include guard", "isa/Numerics/Bare-inl.h", "")

    def test_cycles_are_named_whole(self):
        self.write("isa/Base/Support/B.h", '#pragma once\n#include "isa/Base/Support/C.h"\n')
        self.write("isa/Base/Support/C.h", '#pragma once\n#include "isa/Base/Support/A.h"\n')
        self.assert_breaks(
            "cycle of includes: isa/Base/Support/A.h -> isa/Base/Support/B.h -> isa/Base/Support/C.h -> isa/Base/Support/A.h",
            "isa/Base/Support/A.h",
            '#pragma once\n#include "isa/Base/Support/B.h"\n',
        )

    def test_two_ways_to_one_header_are_no_cycle(self):
        self.write("isa/Base/Support/B.h", '#pragma once\n#include "isa/Base/Support/Error.h"\n')
        self.write("isa/Base/Support/A.h", '#pragma once\n#include "isa/Base/Support/Error.h"\n#include "isa/Base/Support/B.h"\n')
        self.assert_accepted("check-layering")


class Layout(ScratchTest):
    def setUp(self):
        super().setUp()
        for folder in "compiler emulator isa reference verify classifier models tests scripts".split():
            self.write(f"{folder}/README.md")
        for file in ["CMakePresets.json", "README.md", "LICENSE", ".gitignore", "build/log"]:
            self.write(file)
        self.write("CMakeLists.txt", "project(tilerig VERSION 1.2.3 LANGUAGES CXX)\n")
        self.write("scripts/CHANGELOG.md", "# Changes\n\n## 1.2.3 (today)\n\n## 1.2.2\n")

    def test_accepts_the_agreed_root(self):
        self.write("build-asan/log")
        self.assertEqual(self.assert_accepted("check-layout"), "the root of the repository has exactly the agreed entries\n")

    def test_reports_a_name_too_many(self):
        for name in ["docs/page.md", "Makefile", "rebuild", "two words"]:
            file = self.write(name)
            self.assert_reported(f"{name.split('/')[0]}: not in the list of agreed entries", "check-layout")
            shutil.rmtree(file.parent) if "/" in name else file.unlink()

    def test_reports_a_name_that_is_missing(self):
        shutil.rmtree(self.root / "models")
        (self.root / "LICENSE").unlink()
        output = self.assert_reported("models: missing in the root of the repository", "check-layout")
        self.assertIn("LICENSE: missing in the root of the repository", output)

    def test_reports_a_folder_without_a_readme(self):
        (self.root / "verify/README.md").unlink()
        self.assert_reported("verify/README.md: missing", "check-layout")

    def test_reports_a_version_without_its_changes(self):
        self.write("scripts/CHANGELOG.md", "# Changes\n\n## 1.2.2\n\n## 1.2.3\n")
        self.assert_reported("the newest version is '1.2.2', but CMakeLists.txt has '1.2.3'", "check-layout")


class Results(ScratchTest):
    PAGE = "# Noise\n\n> Noise of tensors, measured by `tests/noise a b` on 2026-11-28.\n\n| tensor | noise |\n"

    def setUp(self):
        super().setUp()
        for page in ["classifier/Shipped/FIGURES.md", "compiler/Planning/Cost/CALIBRATION.md", "tests/benchmarks/search.md"]:
            self.write(page, self.PAGE)
        self.write("tests/conformance/README.md", "# Conformance\n")

    def test_accepts_pages_that_say_what_how_and_when(self):
        self.write("tests/conformance/NOISE.md", self.PAGE.replace("2026-11-28", "2026-11-24 to 2026-11-25"))
        self.write("tests/conformance/ALWAYS.md", "# Cases\n\n> Cases, counted by `count`; every run of the tests compares them.\n")
        self.assertEqual(self.assert_accepted("check-results"), "5 pages of results say what was measured, how and when\n")

    def test_reports_a_page_without_date_command_or_first_line(self):
        for text in [self.PAGE.replace(" on 2026-11-28", ""), self.PAGE.replace("`", ""), self.PAGE.replace("> ", "> See below.\n\n"),
                     "# Noise\n", ""]:
            self.write("tests/conformance/NOISE.md", text)
            output = self.assert_reported("tests/conformance/NOISE.md: the first paragraph after the title must say", "check-results")
            self.assertEqual(output.count("\n"), 1, output)

    def test_reports_a_tree_without_pages(self):
        for folder in ["classifier", "compiler", "tests"]:
            shutil.rmtree(self.root / folder)
        self.assert_reported("no page of results was found", "check-results")


class Format(ScratchTest):
    def setUp(self):
        super().setUp()
        shutil.copy(REPOSITORY / ".clang-format", self.root)
        self.write("isa/Tidy.h", "#pragma once\n\nint sum(int a, int b);\n")

    def test_accepts_what_is_formatted(self):
        self.write("build-dev/Generated.h", "int   x ;\n")
        self.assertEqual(self.assert_accepted("format", "--check"), "")

    def test_reports_what_is_not_and_leaves_it_alone(self):
        for name in ["isa/Untidy.h", "tests/unit/Untidy.cpp"]:
            file = self.write(name, "int   sum(int a,int b);\n")
            self.assert_reported(f"{name}:1:", "format", "--check")
            self.assertEqual(file.read_text(), "int   sum(int a,int b);\n")
            file.unlink()

    def test_formats(self):
        file = self.write("isa/Untidy.h", "int   sum(int a,int b);\n")
        self.assert_accepted("format")
        self.assertEqual(file.read_text(), "int sum(int a, int b);\n")
        self.assert_accepted("format", "--check")


class Regenerate(ScratchTest):
    def setUp(self):
        super().setUp()
        self.page = self.write("isa/ISA.md", "the page\n")
        self.fake("tilerig-isa-page", "echo the page")
        self.write("compiler/Tools/dialect-page", "print('all operations')\n")
        self.write("compiler/DIALECTS.md", "all operations\n")
        self.constants = self.write("isa/Numerics/Coefficients.h", "42\n")
        self.write("isa/Numerics/Coefficients/derive.py", "print(6 * 7)\n")
        self.write("tests/conformance/REFERENCE.md", "all passed\n")
        self.fake("tilerig-node-tests", "echo all passed")

    def regenerate(self, *words):
        return ["regenerate", *words, "--commands", self.programs]

    def test_accepts_what_is_fresh(self):
        self.assertEqual(self.assert_accepted(*self.regenerate("--check")), "")

    def test_reports_what_is_stale_and_leaves_it_alone(self):
        self.page.write_text("an older page\n")
        output = self.assert_reported("isa/ISA.md: differs from the output of tilerig-isa-page", *self.regenerate("--check"))
        self.assertIn("-an older page\n+the page\n", output)
        self.assertEqual(self.page.read_text(), "an older page\n")

    def test_reports_every_file(self):
        self.page.write_text("an older page\n")
        self.constants.write_text("41\n")
        output = self.assert_reported("isa/ISA.md: differs from", *self.regenerate("--check"))
        self.assertIn("isa/Numerics/Coefficients.h: differs from", output)

    def test_reports_what_is_missing(self):
        self.page.unlink()
        self.assert_reported("isa/ISA.md: differs from", *self.regenerate("--check"))

    def test_writes(self):
        self.page.write_text("an older page\n")
        self.constants.unlink()
        self.assert_accepted(*self.regenerate())
        self.assertEqual(self.page.read_text(), "the page\n")
        self.assertEqual(self.constants.read_text(), "42\n")

    def test_a_generator_that_fails_changes_nothing(self):
        self.fake("tilerig-isa-page", "echo half; exit 4")
        for words in [[], ["--check"]]:
            code, _ = self.run_script(*self.regenerate(*words))
            self.assertEqual(code, 4)
            self.assertEqual(self.page.read_text(), "the page\n")


if __name__ == "__main__":
    unittest.main()
