// Tests of the command `tilerig verify`, run as a program.
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Tensor/Npz.h"
#include "tests/support/Folders.h"
#include "tests/support/RunProgram.h"
#include "tests/support/TemporaryFolder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

using Json = nlohmann::json;

bool contains(const std::string &text, std::string_view part) { return text.find(part) != text.npos; }

class VerifyCommand : public testing::Test {
protected:
  using Entries = std::vector<std::pair<std::string, Tensor>>;

  std::string path(const std::string &name) const { return folder.path(name); }
  void save(const std::string &file, const Entries &entries) {
    TensorMap map;
    for (const auto &[name, tensor] : entries)
      EXPECT_TRUE(map.add(name, tensor));
    EXPECT_TRUE(writeNpz(path(file), map));
  }
  void saveText(const std::string &file, const std::string &text) {
    EXPECT_TRUE(writeText(path(file), text));
  }
  std::string read(const std::string &file) { return *readText(path(file)); }

  Outcome run(std::vector<std::string> words) {
    words.insert(words.begin(), {commandFolder() + "/tilerig-verify", "--reference", path("r.npz"),
                                 "--target", path("t.npz")});
    return runProgram(words);
  }
  Json runJson(std::vector<std::string> words, int code) {
    words.push_back("--json");
    Outcome outcome = run(words);
    EXPECT_EQ(outcome.exitCode, code) << outcome.output << outcome.errors;
    EXPECT_EQ(outcome.errors, "");
    return Json::parse(outcome.output, nullptr, false);
  }
  void expectRefused(int code, const std::vector<std::string> &words, std::string_view why) {
    Outcome outcome = run(words);
    EXPECT_EQ(outcome.exitCode, code) << outcome.errors;
    EXPECT_TRUE(contains(outcome.errors, why)) << outcome.errors;
    EXPECT_EQ(outcome.output, "");
  }

  TemporaryFolder folder;
  Tensor a = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  Tensor b = Tensor::of<float>({2, 2}, {1, 2, 3, 4.5f}); // the last element is 12.5 % too large
};

TEST_F(VerifyCommand, EqualFilesMatch) {
  save("r.npz", {{"x", a}, {"y", b}});
  save("t.npz", {{"y", b}, {"x", a}});
  Outcome outcome = run({"--exact"});
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_TRUE(contains(outcome.output, "2 tensors: 2 match\n")) << outcome.output;
}

TEST_F(VerifyCommand, AMismatchIsToldAndCounted) {
  save("r.npz", {{"x", a}});
  save("t.npz", {{"x", b}});
  Outcome outcome = run({});
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_TRUE(contains(outcome.output, "x: mismatch: 1 of 4 elements fail")) << outcome.output;
  Json json = runJson({}, 1);
  EXPECT_EQ(json["match"], false);
  const Json &layer = json["layers"][0];
  EXPECT_EQ(layer["name"], "x");
  EXPECT_EQ(layer["status"], "mismatch");
  EXPECT_EQ(layer["elements"], 4);
  EXPECT_EQ(layer["passed"], 3);
  EXPECT_EQ(layer["failed"], 1);
  EXPECT_EQ(layer["discarded"], 0);
  EXPECT_EQ(layer["max_abs"], 0.5);
  EXPECT_EQ(layer["worst"][0]["position"], (Json{1, 1}));
  EXPECT_EQ(layer["worst"][0]["rel"], 12.5);
  EXPECT_EQ(layer["ulps"][0], 3);
  EXPECT_EQ(json["summary"]["statuses"]["mismatch"], 1);
  // With looser limits the comparison passes, unless --exact is given. An element's order of magnitude is how
  // many times smaller it is than the largest element; a limit of 1 discards all elements but the largest.
  EXPECT_EQ(run({"--rel-err", "13"}).exitCode, 0);
  EXPECT_EQ(run({"--rel-err", "13", "--exact"}).exitCode, 1);
  EXPECT_EQ(runJson({"--oom-limit", "1"}, 1)["layers"][0]["discarded"], 3);
  EXPECT_EQ(runJson({"--anchor", "second"}, 1)["layers"][0]["anchor_value"], 3.0);
}

TEST_F(VerifyCommand, TensorsWithoutPartnerFail) {
  save("r.npz", {{"x", a}, {"only_r", a}});
  save("t.npz", {{"x", a}, {"only_t", a}});
  Json json = runJson({}, 1);
  EXPECT_EQ(json["summary"]["statuses"], (Json{{"match", 1}, {"missing", 2}}));
  EXPECT_EQ(json["layers"][1]["name"], "only_r");
  EXPECT_EQ(json["layers"][1]["reason"], path("t.npz") + " does not contain this tensor");
  EXPECT_EQ(json["layers"][2]["name"], "only_t");
}

TEST_F(VerifyCommand, WhatCannotBeComparedFails) {
  save("r.npz", {{"shape", a}, {"type", a}, {"empty", Tensor(DType::f32, {0})}, {"nan", a}});
  Tensor broken = a;
  broken.mutableAs<float>()[2] = std::numeric_limits<float>::quiet_NaN();
  save("t.npz", {{"shape", *a.reshaped({4})},
                 {"type", Tensor::of<double>({2, 2}, {1, 2, 3, 4})},
                 {"empty", Tensor(DType::f32, {0})},
                 {"nan", broken}});
  Json json = runJson({}, 1);
  const char *statuses[] = {"shape_mismatch", "dtype_mismatch", "empty", "non_finite"};
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(json["layers"][i]["status"], statuses[i]);
  EXPECT_EQ(json["layers"][3]["target_nan"], 1);
  EXPECT_EQ(runJson({"--across-types"}, 1)["layers"][1]["status"], "match");
}

TEST_F(VerifyCommand, AMapJoinsNamesAndAxes) {
  save("r.npz", {{"x", Tensor::of<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6})}, {"same", a}});
  save("t.npz", {{"dump_0", Tensor::of<float>({1, 3, 2}, {1, 4, 2, 5, 3, 6})}, {"same", a}, {"counter", b}});
  saveText("map.json", R"({"file_type": "TensorMap", "left_out": ["counter"],
    "pairs": [{"reference": "x", "target": "dump_0", "transpose": [0, 2, 1]}]})");
  Json json = runJson({"--map", path("map.json"), "--exact"}, 0);
  EXPECT_EQ(json["layers"].size(), 2u);
  EXPECT_EQ(json["layers"][0]["target_name"], "dump_0");
  EXPECT_EQ(json["left_out"],
            (Json{{{"name", "counter"}, {"reason", "the file given with --map leaves this tensor out"}}}));
}

// With a program, exactly the tensors that it stores (x, negated, sorted and y) are compared. The reference
// may have more tensors, but a missing one is an error.
TEST_F(VerifyCommand, AProgramSaysWhichTensorsThereAre) {
  Outcome assembled =
      runProgram({commandFolder() + "/tilerig-asm", test::sourceFolder() + "/tests/programs/host_stage.trasm",
                  "-o", path("m.trb")});
  ASSERT_EQ(assembled.exitCode, 0) << assembled.errors;
  Tensor sixteen(DType::f32, {16}), four = Tensor::of<float>({4}, {1, 2, 3, 4});
  Entries kept = {{"x", sixteen}, {"negated", sixteen}, {"sorted", four}, {"y", four}};
  Entries all = kept;
  all.push_back({"fused_away", a});
  save("r.npz", all);
  save("t.npz", kept);
  Json json = runJson({"--program", path("m.trb"), "--exact"}, 0);
  EXPECT_EQ(json["layers"].size(), 4u);
  EXPECT_EQ(json["layers"][2]["layer"], "order");
  EXPECT_EQ(json["layers"][2]["where"], "host");
  EXPECT_EQ(json["layers"][3]["layer"], "half");
  EXPECT_EQ(json["left_out"],
            (Json{{{"name", "fused_away"}, {"reason", "the program does not keep this tensor"}}}));
  kept.pop_back();
  save("t.npz", kept);
  EXPECT_EQ(runJson({"--program", path("m.trb")}, 1)["layers"][3]["status"], "missing");
  kept.push_back({"z", four});
  save("t.npz", kept);
  json = runJson({"--program", path("m.trb")}, 1);
  EXPECT_EQ(json["layers"][4]["name"], "z");
  EXPECT_EQ(json["layers"][4]["status"], "missing");
  saveText("m.trb", "no program");
  expectRefused(3, {"--program", path("m.trb")}, "m.trb");
}

TEST_F(VerifyCommand, InvalidMapsAreRefused) {
  save("r.npz", {{"x", a}});
  save("t.npz", {{"y", a}});
  auto refused = [&](const std::string &text, std::string_view why) {
    saveText("map.json", text);
    expectRefused(3, {"--map", path("map.json")}, why);
  };
  auto pairs = [](const std::string &pair) {
    return R"({"file_type": "TensorMap", "pairs": [)" + pair + "]}";
  };
  refused("{", "map.json:1:2: the JSON text ends too early");
  refused("[]", "map.json: must be an object, not a list");
  refused("{}", "map.json: file_type: the key is missing");
  refused(R"({"file_type": "Thresholds"})", "file_type: must be \"TensorMap\", not \"Thresholds\"");
  refused(pairs(R"({"reference": "x"})"), "pairs[0].target: the key is missing");
  refused(pairs(R"({"reference": "x", "target": "z"})"), "has no tensor 'z'");
  refused(pairs(R"({"reference": "x", "target": "y", "to": 1})"), "pairs[0].to: unknown key");
  refused(pairs(R"({"reference": "x", "target": "y"}, {"reference": "x", "target": "y"})"),
          "is in two pairs");
  refused(pairs(R"({"reference": "x", "target": "y", "transpose": [0, 0]})"),
          "the list must contain each axis from 0 to 1 exactly once");
  refused(pairs(R"({"reference": "x", "target": "y", "transpose": [0]})"),
          "'transpose' lists 1 axes, but the tensor has 2");
  refused(R"({"file_type": "TensorMap", "left_out": ["q"]})",
          "neither the reference nor the target has a tensor 'q'");
  refused(R"({"file_type": "TensorMap", "left_out": ["x", "y"]})", "no tensor is left to compare");
  refused(R"({"file_type": "TensorMap", "file_type": "TensorMap"})",
          "map.json: file_type: the key is given twice");
  refused(std::string(100000, '['), "the value is nested more than 16 levels deep");
  refused(std::string("\xff\xfe\0{", 4), "map.json:1:1: the text is not valid UTF-8");
}

TEST_F(VerifyCommand, ThresholdsForTypesAndLayers) {
  save("r.npz", {{"x", a}, {"y", a}});
  save("t.npz", {{"x", b}, {"y", b}});
  saveText("limits.json", R"({"file_type": "Thresholds", "dtypes": {"float32": {"rel_err": 20}},
    "layers": {"y": {"rel_err": 1, "oom_limit": 7}}})");
  Json json = runJson({"--thresholds", path("limits.json")}, 1);
  EXPECT_EQ(json["layers"][0]["status"], "match");
  EXPECT_EQ(json["layers"][0]["rel_err"], 20.0);
  EXPECT_EQ(json["layers"][0]["oom_limit"], 100.0);
  EXPECT_EQ(json["layers"][1]["status"], "mismatch");
  EXPECT_EQ(json["layers"][1]["rel_err"], 1.0);
  EXPECT_EQ(json["layers"][1]["oom_limit"], 7.0);
  auto refused = [&](const std::string &text, std::string_view why) {
    saveText("limits.json", text);
    expectRefused(3, {"--thresholds", path("limits.json")}, why);
  };
  auto file = [](const std::string &rest) { return R"({"file_type": "Thresholds", )" + rest + "}"; };
  refused("", "limits.json:1:1: the JSON text ends too early");
  refused("{}", "limits.json: file_type: the key is missing");
  refused(R"({"file_type": "TensorMap"})", "file_type: must be \"Thresholds\", not \"TensorMap\"");
  refused(file(R"("dtypes": {"float31": {}})"), "dtypes.float31: unknown element type");
  refused(file(R"("layers": {"z": {}})"), "no tensor or layer has this name");
  refused(file(R"("layers": {"x": {"rel_err": -1}})"),
          "layers.x.rel_err: must be a number of at least 0, not -1");
  refused(file(R"("layers": {"x": {"oom_limit": 0.5}})"),
          "layers.x.oom_limit: must be a number of at least 1, not 0.5");
  refused(file(R"("layers": {"x": {"rel_er": 1}})"), "did you mean 'rel_err'?");
  refused(file(R"("layers": {"x": {"output_type": "int9"}})"), "did you mean");
}

TEST_F(VerifyCommand, FilesWithoutTensorsAreRefused) {
  save("r.npz", {{"x", a}});
  expectRefused(3, {}, "t.npz");
  save("t.npz", {});
  expectRefused(3, {}, "t.npz: the file contains no tensors");
  save("whole.npz", {{"x", Tensor(DType::f32, {10000})}});
  const std::string whole = *readText(path("whole.npz"));
  for (size_t size : {0ul, 10ul, whole.size() / 2, whole.size() - 1}) {
    saveText("t.npz", whole.substr(0, size));
    expectRefused(3, {}, "t.npz");
  }
  std::string altered = whole;
  altered[whole.size() / 2] ^= 1;
  saveText("t.npz", altered);
  expectRefused(3, {}, "CRC-32");
}

// Large tensors are streamed instead of loaded; damage in their files is detected on the way.
TEST_F(VerifyCommand, DamageInTheMiddleOfLargeTensors) {
  Tensor large(DType::f32, {700, 1000});
  for (size_t i = 0; i < large.elementCount(); ++i)
    large.mutableAs<float>()[i] = static_cast<float>(i * 2654435761u % 1000);
  TensorMap map;
  ASSERT_TRUE(map.add("x", large));
  for (bool deflate : {false, true}) {
    for (const char *file : {"r.npz", "t.npz"})
      ASSERT_TRUE(writeNpz(path(file), map, {deflate}));
    EXPECT_EQ(run({}).exitCode, 0);
    std::string bytes = read("t.npz");
    bytes[bytes.size() / 2] ^= 1;
    saveText("t.npz", bytes);
    expectRefused(3, {}, "t.npz: entry 'x.npy'");
    saveText("t.npz", bytes.substr(0, bytes.size() / 2));
    expectRefused(3, {}, "t.npz");
  }
}

TEST_F(VerifyCommand, WrongUsage) {
  save("r.npz", {{"x", a}});
  save("t.npz", {{"x", a}});
  expectRefused(2, {"--oom-limit", "0"}, "--oom-limit");
  expectRefused(2, {"--oom-limit", "0.9"}, "'0.9' is not a number of at least 1"); // would discard everything
  expectRefused(2, {"--oom-limit", "nan"}, "'nan' is not a number of at least 1");
  expectRefused(2, {"--rel-err", "-1"}, "--rel-err");
  expectRefused(2, {"--rel-err", "3x"}, "--rel-err");
  expectRefused(2, {"--elements", path("e.txt")}, "the name of the element file must end in .csv or .npz");
  expectRefused(2, {"--anchor", "mean"}, "--anchor");
}

TEST_F(VerifyCommand, Elements) {
  save("r.npz", {{"x", Tensor::of<float>({4}, {100, 0.5f, 0, 10})}});
  save("t.npz", {{"x", Tensor::of<float>({4}, {101, 0.75f, 0, 20})}});
  EXPECT_EQ(run({"--elements", path("e.csv")}).exitCode, 1);
  EXPECT_EQ(read("e.csv"), "tensor,index,reference,target,oom,rel,discarded,passed,failed\n"
                           "x,0,100,101,1,1,,101,\n"
                           "x,1,0.5,0.75,200,50,0.75,,\n"
                           "x,2,0,0,101,0,0,,\n"
                           "x,3,10,20,10,100,,,20\n");
  EXPECT_EQ(run({"--elements", path("e.npz"), "--oom-scale", "log10"}).exitCode, 1);
  auto columns = readNpz(path("e.npz"));
  ASSERT_TRUE(columns);
  EXPECT_TRUE(identical(**columns->get("x/index"), Tensor::of<uint64_t>({4}, {0, 1, 2, 3})));
  EXPECT_TRUE(identical(**columns->get("x/rel"), Tensor::of<double>({4}, {1, 50, 0, 100})));
  EXPECT_EQ((*columns->get("x/oom"))->as<double>()[3], 1.0);
  EXPECT_TRUE(identical(**columns->get("x/discarded"), Tensor::of<bool>({4}, {false, true, true, false})));
  EXPECT_TRUE(identical(**columns->get("x/failed"), Tensor::of<bool>({4}, {false, false, false, true})));
}

TEST_F(VerifyCommand, AReportIsMadeOfRecords) {
  save("r.npz", {{"x", a}, {"a,\"b\"<&\n", a}, {"gone", a}});
  save("t.npz", {{"x", b}, {"a,\"b\"<&\n", a}});
  EXPECT_EQ(run({"--report", path("out/deep")}).exitCode, 1);
  std::istringstream lines(read("out/deep/records.jsonl"));
  std::vector<Json> records;
  for (std::string line; std::getline(lines, line);)
    records.push_back(Json::parse(line));
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(records[0]["record"], "run");
  EXPECT_EQ(records[0]["version"], 1);
  EXPECT_EQ(records[1]["status"], "mismatch");
  EXPECT_EQ(records[4]["record"], "summary");
  EXPECT_EQ(records[4]["layers"], 3);
  // The error grid counts the wrong element, which is 12.5 % too large, in row 73 + 41 (rows for targets that
  // are too large begin at 73, and 41 edges of bins lie below 12.5 %) and in column 0, that of the largest
  // elements.
  EXPECT_EQ(records[1]["plane"].back(), (Json{114, 0, 1, 0}));
  const std::string csv = read("out/deep/report.csv");
  EXPECT_TRUE(contains(csv, "\nx,,,mismatch,1 of 4 elements fail,float32,4,1,3,1,0,")) << csv;
  EXPECT_TRUE(contains(csv, "\n\"a,\"\"b\"\"<&\n\",,,match,")) << csv;
  const std::string junit = read("out/deep/junit.xml");
  EXPECT_TRUE(contains(junit, "tests=\"3\" failures=\"2\"")) << junit;
  EXPECT_TRUE(contains(junit, "name=\"a,&quot;b&quot;&lt;&amp;\\x0a\"/>")) << junit;
  EXPECT_TRUE(contains(junit, "<failure type=\"mismatch\" message=\"1 of 4 elements fail\"/>")) << junit;
  saveText("file", "");
  expectRefused(3, {"--report", path("file/x")}, "the folder cannot be created");
}

TEST_F(VerifyCommand, ResultsDoNotDependOnThreads) {
  Tensor large(DType::f32, {600000}), other(DType::f32, {600000});
  for (size_t i = 0; i < 600000; ++i) {
    large.mutableAs<float>()[i] = static_cast<float>(i % 1009) - 300;
    other.mutableAs<float>()[i] = static_cast<float>(i % 1013) - 300;
  }
  save("r.npz", {{"x", large}});
  save("t.npz", {{"x", other}});
  EXPECT_EQ(run({"--json", "--threads", "1"}).output, run({"--json", "--threads", "7"}).output);
}

} // namespace
} // namespace tilerig::test
