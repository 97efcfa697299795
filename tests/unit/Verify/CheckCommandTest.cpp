// Tests of the command `tilerig check`, run as a program: exit codes, JSON output, reports, and checks of
// programs that were compiled before.
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Tensor/Npz.h"
#include "tests/support/Folders.h"
#include "tests/support/RunProgram.h"
#include "tests/support/TemporaryFolder.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace tilerig::test {
namespace {

using Json = nlohmann::json;
const std::string model = test::sourceFolder() + "/models/digits/digits.onnx", open = "--input-shape",
                  shape = "image=1x1x8x8";

class CheckCommand : public testing::Test {
protected:
  std::string path(const std::string &name) const { return folder.path(name); }
  static Outcome run(std::vector<std::string> words) {
    words.insert(words.begin(), commandFolder() + "/tilerig-check");
    return runProgram(words);
  }
  static Json runJson(std::vector<std::string> words, int code) {
    words.push_back("--json");
    Outcome outcome = run(words);
    EXPECT_EQ(outcome.exitCode, code) << outcome.output << outcome.errors;
    EXPECT_EQ(outcome.errors, "");
    return Json::parse(outcome.output, nullptr, false);
  }
  std::string makeSqueezeNet(const char *seed, const std::string &file) const {
    Outcome outcome = runProgram({commandFolder() + "/tilerig-zoo", "squeezenet", "--image-size", "48",
                                  "--seed", seed, "-o", path(file)});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    return path(file);
  }
  // Expects the bug class to explain at least the share `least` of the wrong elements, and the counts of all
  // classes to add up to the elements that failed the comparison.
  static void expectAttributed(const Json &attribution, const std::string &bugClass, const Json &failed,
                               double least) {
    uint64_t sum = attribution["unexplained"]["failed"].get<uint64_t>();
    double share = 0;
    for (const Json &part : attribution["classes"]) {
      sum += part["failed"].get<uint64_t>();
      share += part["class"] == bugClass ? part["share"].get<double>() : 0;
    }
    EXPECT_EQ(attribution["failed"], failed);
    EXPECT_EQ(sum, failed.get<uint64_t>());
    EXPECT_GE(share, least) << attribution;
  }
  static bool contains(const std::string &text, std::string_view part) {
    return text.find(part) != text.npos;
  }

  TemporaryFolder folder;
};

TEST_F(CheckCommand, ACleanModelMatches) {
  for (const char *precision : {"fp32", "fp16", "bf16", "int8"}) {
    SCOPED_TRACE(precision);
    const Json json = runJson({model, open, shape, "--precision", precision, "--tiles", "8"}, 0);
    EXPECT_EQ(json["match"], true);
    EXPECT_EQ(json["precision"], precision);
    EXPECT_EQ(json["verdict"]["class"], "no_error");
    EXPECT_TRUE(json["verdict"]["layer"].is_null());
    EXPECT_TRUE(json["injected"].is_null());
    EXPECT_GT(json["layers"].size(), 3u);
    std::set<std::string> operators;
    for (const Json &layer : json["layers"]) {
      EXPECT_EQ(layer["status"], "match");
      EXPECT_EQ(layer["where"], "accelerator");
      operators.insert(layer["onnx_ops"].begin(), layer["onnx_ops"].end());
      for (const char *field : {"name", "max_abs", "cosine", "passed", "failed", "discarded"})
        EXPECT_TRUE(layer.contains(field)) << field;
      EXPECT_TRUE(layer["isolated"].is_null());
    }
    EXPECT_TRUE(operators.contains("Conv"));
    EXPECT_GT(json["summary"]["emitted"], 3);
    EXPECT_EQ(json["summary"]["emitted_wrong"], 0);
    EXPECT_GT(json["summary"]["rounded"], 3);
    EXPECT_EQ(json["summary"]["rounded_wrong"], 0);
    EXPECT_EQ(json["rounded"].size(), json["summary"]["rounded"]);
    if (std::string(precision) == "int8") {
      EXPECT_TRUE(contains(json["run"]["calibration"], "1 sample")) << json["run"];
    }
  }
}

// A program with the same layers and shapes, but the weights of another model: everything is wrong from the
// first layer on, and no layer has merely inherited errors.
TEST_F(CheckCommand, AnotherModelsProgramIsWrong) {
  makeSqueezeNet("1", "a.onnx");
  makeSqueezeNet("2", "b.onnx");
  Outcome compiled = runProgram({commandFolder() + "/tilerig-compile", path("b.onnx"), "--precision", "fp16",
                                 "--tiles", "4", "-o", path("b.trb")});
  ASSERT_EQ(compiled.exitCode, 0) << compiled.errors;
  const std::vector<std::string> words = {path("a.onnx"), "--precision", "fp16",     "--tiles",  "4",
                                          "--program",    path("b.trb"), "--report", path("out")};
  const Json json = runJson(words, 1);
  EXPECT_EQ(json["match"], false);
  const auto firstWrong =
      std::ranges::find(json["layers"], "mismatch", [](const Json &layer) { return layer["status"]; });
  ASSERT_NE(firstWrong, json["layers"].end());
  const Json &first = *firstWrong;
  EXPECT_EQ(first["isolated"]["status"], "mismatch");
  EXPECT_FALSE(first["instructions"].empty());
  EXPECT_TRUE(first["worst"][0].contains("tile"));
  EXPECT_TRUE(contains(*readText(path("out/junit.xml")), "classname=\"tilerig.check\""));
  for (const char *file :
       {"records.jsonl", "report.html", "report.csv", "evidence/0000.png", "evidence/0000.npz"})
    EXPECT_TRUE(std::filesystem::exists(path("out/") + file)) << file;

  // The check of the correct program, with the run on wrong weights as its baseline, lists every mismatch as
  // fixed; in the opposite direction, every mismatch is new.
  const Json mended = runJson({path("a.onnx"), "--precision", "fp16", "--tiles", "4", "--baseline",
                               path("out"), "--report", path("right")},
                              0);
  ASSERT_TRUE(mended.contains("baseline"));
  std::set<std::string> kinds;
  for (const Json &change : mended["baseline"])
    kinds.insert(change["change"]);
  EXPECT_EQ(kinds, std::set<std::string>{"fixed"});
  std::vector<std::string> again = words;
  again.resize(7);
  again.insert(again.end(), {"--baseline", path("right/records.jsonl")});
  EXPECT_TRUE(contains(run(again).output, ": new: was match")) << run(again).output;
  // A program that was compiled from an entirely different model is refused.
  Outcome refused = run({model, open, shape, "--program", path("b.trb")});
  EXPECT_EQ(refused.exitCode, 3);
  EXPECT_TRUE(contains(refused.errors, "has other tensors")) << refused.errors;
}

// The names of a report's files, with their contents.
std::map<std::string, std::string> filesIn(const std::string &folder) {
  std::map<std::string, std::string> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
    if (const std::string path = entry.path();
        entry.is_regular_file() && path.find("/unfinished/") == path.npos)
      files[path] = *readText(path);
  return files;
}

// If writing a report fails, the earlier report stays unchanged to the byte.
TEST_F(CheckCommand, AnUnfinishedReportLeavesTheEarlierOne) {
  const std::string command = commandFolder() + "/tilerig-check " + model + " --input-shape " + shape;
  ASSERT_EQ(run({model, open, shape, "--precision", "int8", "--report", path("out")}).exitCode, 0);
  const auto before = filesIn(path("out"));
  const auto after = [&](const std::string &line) {
    const Outcome outcome = runProgram({"bash", "-c", line});
    EXPECT_NE(outcome.exitCode, 0) << line;
    EXPECT_EQ(filesIn(path("out")), before) << line;
    return outcome;
  };
  // A process that writes a report is killed in the middle of its records, or finds no space left on the
  // disk.
  after("ulimit -f 16; exec " + command + " --report " + path("out"));
  EXPECT_TRUE(std::filesystem::exists(path("out/unfinished/records.jsonl")));
  const Outcome full = after("ulimit -f 16; trap '' XFSZ; exec " + command + " --report " + path("out"));
  EXPECT_EQ(full.exitCode, 3);
  EXPECT_TRUE(contains(full.errors, "cannot write")) << full.errors;
  // Another process holds the lock on the report, so the command must refuse to write the report.
  const Outcome second =
      after("exec 9<" + path("out") + "; flock 9; " + command + " --report " + path("out"));
  EXPECT_EQ(second.exitCode, 3);
  EXPECT_TRUE(contains(second.errors, "another process is writing a report")) << second.errors;
  // A finished report leaves no files of the earlier report and no temporary files.
  ASSERT_EQ(run({model, open, shape, "--report", path("out")}).exitCode, 0);
  ASSERT_EQ(run({model, open, shape, "--report", path("fresh")}).exitCode, 0);
  EXPECT_EQ(*readText(path("out/records.jsonl")), *readText(path("fresh/records.jsonl")));
  EXPECT_EQ(filesIn(path("out")).size(), filesIn(path("fresh")).size());
  EXPECT_FALSE(std::filesystem::exists(path("out/unfinished")));
}

TEST_F(CheckCommand, ABaselineHasItsSummary) {
  ASSERT_EQ(run({model, open, shape, "--report", path("out")}).exitCode, 0);
  const std::string whole = *readText(path("out/records.jsonl"));
  const std::vector<std::string> words = {model, open, shape, "--baseline", path("cut.jsonl")};
  ASSERT_TRUE(writeText(path("cut.jsonl"), whole));
  EXPECT_EQ(run(words).exitCode, 0);
  ASSERT_TRUE(writeText(path("cut.jsonl"), whole.substr(0, whole.rfind('\n', whole.size() - 2) + 1)));
  const Outcome cut = run(words);
  EXPECT_EQ(cut.exitCode, 3);
  EXPECT_TRUE(contains(cut.errors, "the last line is not the summary record")) << cut.errors;
}

// Options that make the command a gate for CI: the exit code and the reason.
TEST_F(CheckCommand, AGateHasABaselineAndLimits) {
  const auto gate = [&](std::vector<std::string> more, int code, const std::string &said) {
    std::vector<std::string> words = {model, open, shape, "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exitCode, code) << outcome.output << outcome.errors;
    EXPECT_TRUE(contains(outcome.output + outcome.errors, said)) << outcome.output << outcome.errors;
    return outcome.output;
  };
  gate({"--baseline", path("none")}, 3,
       "the records of the baseline do not exist; leave --baseline out in the first check");
  const std::string wrong = gate({"--inject", "bias-missing", "--report", path("wrong")}, 1, "mismatch");
  EXPECT_FALSE(contains(wrong, "oracle dB")) << wrong;
  EXPECT_EQ(std::ranges::count(gate({"--report", path("right")}, 0, "match"), '\n'), 1);
  // With --fail-on new, a mismatch makes the command fail only if the tensor was right in the baseline.
  gate({"--inject", "bias-missing", "--baseline", path("wrong")}, 1, "mismatch");
  gate({"--inject", "bias-missing", "--baseline", path("wrong"), "--fail-on", "new"}, 0, "mismatch");
  gate({"--inject", "bias-missing", "--baseline", path("right"), "--fail-on", "new"}, 1, ": new: was match");
  // Limits on cycles: an absolute one, and one relative to the baseline.
  gate({"--mode", "timed", "--fail-cycles", "10"}, 1, "limit 'cycles' violated");
  gate({"--mode", "timed", "--fail-cycles", "1000000000"}, 0, "match");
  gate({"--mode", "timed", "--fail-slower", "1", "--baseline", path("right")}, 3,
       "create the baseline with --mode timed");
  gate({"--mode", "timed", "--report", path("timed")}, 0, "match");
  gate({"--mode", "timed", "--fail-slower", "0", "--baseline", path("timed")}, 0, "match");
  gate({"--mode", "timed", "--fail-slower", "1", "--baseline", path("timed"), "--tiles", "1"}, 1,
       "limit 'slower' violated");
  // A violated limit is a test case of its own in the JUnit file.
  gate({"--fail-below", "1000", "--report", path("noisy")}, 1, "limit 'decibels' violated");
  EXPECT_TRUE(
      contains(*readText(path("noisy/junit.xml")), "classname=\"tilerig.check.limit\" name=\"decibels\">"));
  gate({"--fail-below", "40"}, 0, "match");
}

TEST_F(CheckCommand, EvidenceIsKeptOfWhatFails) {
  const auto evidence = [&](const std::string &name, std::vector<std::string> more) {
    std::vector<std::string> words = {model, open, shape, "--report", path(name)};
    words.insert(words.end(), more.begin(), more.end());
    run(words);
    return filesIn(path(name + "/evidence")).size();
  };
  EXPECT_GT(evidence("all", {}), 5u);
  EXPECT_EQ(evidence("failed", {"--keep", "failed"}), 0u);
  EXPECT_GT(evidence("wrong", {"--keep", "failed", "--inject", "bias-missing"}), 0u);
  EXPECT_LT(2 * readText(path("failed/records.jsonl"))->size(), readText(path("all/records.jsonl"))->size());
  EXPECT_EQ(*readText(path("failed/report.csv")), *readText(path("all/report.csv")));
}

// A single bug explains all elements that it made wrong, except those hidden by rounding.
TEST_F(CheckCommand, AllElementsAreAttributed) {
  for (const auto &[bug, bugClass] : {std::pair{"bias-missing", "bias_loading"},
                                      {"weights-flipped:axes=both", "orientation"},
                                      {"pad-amount", "padding"}}) {
    SCOPED_TRACE(bug);
    const Json json =
        runJson({model, open, shape, "--precision", "fp32", "--tiles", "4", "--inject", bug}, 1);
    const auto wrong =
        std::ranges::find(json["layers"], "mismatch", [](const Json &layer) { return layer["status"]; });
    ASSERT_NE(wrong, json["layers"].end());
    EXPECT_GT((*wrong)["failed"], 0);
    const Json &verdict = (*wrong)["verdict"];
    expectAttributed(verdict["attribution"], bugClass, (*wrong)["failed"], 0.99);
    EXPECT_EQ(verdict["top"][0]["attributed"], verdict["attribution"]["classes"][0]["failed"]);
  }
  const Outcome text = run({model, open, shape, "--tiles", "4", "--inject", "bias-missing"});
  EXPECT_TRUE(contains(text.output, "explanations of the ")) << text.output;
  EXPECT_TRUE(contains(text.output, "bias_loading 100.0 % (")) << text.output;
  EXPECT_TRUE(contains(text.output, "unexplained 0.0 %")) << text.output;
}

// A bug given by --inject is injected, found in its layer, and recorded with all its parameters.
TEST_F(CheckCommand, ABugIsInjectedAndFound) {
  const std::vector<std::string> words = {model,  open,      shape, "--precision",
                                          "int8", "--tiles", "4",   "--inject"};
  const auto with = [&](const std::string &bug, std::vector<std::string> more = {}) {
    std::vector<std::string> all = words;
    all.push_back(bug);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const Json json = runJson(with("bias-shifted", {"--inject-seed", "4", "--report", path("out")}), 1);
  const Json &injected = json["injected"];
  EXPECT_EQ(injected["id"], "bias-shifted");
  EXPECT_EQ(injected["class"], "bias_loading");
  EXPECT_EQ(injected["stage"], "operations");
  EXPECT_EQ(injected["seed"], 4);
  EXPECT_GT(injected["parameters"]["by"], 0);
  EXPECT_TRUE(injected["caught"].is_null());
  EXPECT_EQ(injected["equivalent"], false);
  const auto wrong =
      std::ranges::find(json["layers"], "mismatch", [](const Json &layer) { return layer["status"]; });
  ASSERT_NE(wrong, json["layers"].end());
  EXPECT_EQ((*wrong)["layer"], injected["layer"]);
  // The verdict refers to the first wrong layer only, not to layers that are right or have inherited errors.
  const Json &verdict = json["verdict"];
  EXPECT_EQ(verdict["layer"], injected["layer"]);
  EXPECT_GT(verdict["probabilities"]["bias_loading"], 0);
  EXPECT_EQ(verdict["probabilities"]["no_error"], 0);
  for (const Json &layer : json["layers"])
    EXPECT_EQ(layer.contains("verdict"), layer["status"] == "mismatch") << layer["name"];
  EXPECT_EQ((*wrong)["verdict"]["top"].size(), 3u);
  EXPECT_GT((*wrong)["verdict"]["evidence"].size(), 0u);
  // In eight bits, rounding and saturation hide some of the errors, so fewer elements are explained.
  expectAttributed((*wrong)["verdict"]["attribution"], "bias_loading", (*wrong)["failed"], 0.95);
  EXPECT_TRUE(contains(*readText(path("out/records.jsonl")), injected["text"].get<std::string>()));
  // The text of the injected bug in the report injects the same bug again, whatever the seed.
  const Json again = runJson(with(injected["text"], {"--inject-seed", "5"}), 1);
  EXPECT_EQ(again["injected"]["parameters"], injected["parameters"]);
  ASSERT_EQ(again["layers"].size(), json["layers"].size());
  for (size_t i = 0; i < json["layers"].size(); ++i)
    EXPECT_EQ(again["layers"][i]["different"], json["layers"][i]["different"]);
  const Json none = runJson(with("none"), 0);
  EXPECT_EQ(none["match"], true);
  EXPECT_EQ(none["injected"]["equivalent"], true);
  const Json caught = runJson(with("signal-deleted"), 1);
  EXPECT_EQ(caught["injected"]["caught"]["by"], "analyser");
  const std::string said = run(with("bias-missing")).output;
  EXPECT_TRUE(contains(said, "injected: bias-missing@")) << said;
  EXPECT_TRUE(contains(said, "  verdict on ")) << said;
  // With --on-fault stop, no numbers are computed after a fault.
  const Json stopped = runJson(with("signal-deleted", {"--on-fault", "stop"}), 1);
  for (const Json &layer : stopped["layers"])
    EXPECT_EQ(layer["status"], "missing");
  EXPECT_EQ(stopped["verdict"]["class"], "synchronisation");
  EXPECT_EQ(stopped["verdict"]["proved"], true);
}

// A broken lane shows in every layer that computes on it. Each verdict is about the layer's own errors, from right inputs, so all
// of them name the hardware, however much the errors of earlier layers have spread.
TEST_F(CheckCommand, BrokenHardwareIsNamedInEveryLayer) {
  const Json json = runJson({makeSqueezeNet("3", "squeezenet.onnx"), "--precision", "fp16", "--tiles", "4",
                             "--inject", "dead-lane:tile=1,position=3,output=5"},
                            1);
  int wrong = 0, named = 0;
  for (const Json &layer : json["layers"])
    if (layer.contains("verdict") && layer["verdict"].is_object()) {
      ++wrong;
      named += layer["verdict"]["top"][0]["class"] == "hardware";
    }
  EXPECT_GT(wrong, 8);
  EXPECT_GE(named, wrong * 9 / 10);
  EXPECT_EQ(json["verdict"]["answer"], "named");
  EXPECT_EQ(json["verdict"]["class"], "hardware");
}

// Two bugs in two layers are both named, also where one is proved by the analyser, or by the check of passes.
TEST_F(CheckCommand, TwoBugsAreBothNamed) {
  const std::string file = makeSqueezeNet("3", "squeezenet.onnx");
  const auto checked = [&](const std::string &first, const std::string &precision) {
    return runJson({file, "--precision", precision, "--tiles", "4", "--inject", first, "--inject",
                    "bias-shifted:by=3@fire5.expand1x1_relu"},
                   1);
  };
  for (const auto &[bug, precision, bugClass, isProved] :
       {std::tuple{"weights-flipped:axes=both@fire3.expand3x3_relu", "fp32", "orientation", false},
        {"wait-deleted", "int8", "synchronisation", true},
        {"concat-order", "fp16", "rewrite", true}}) {
    SCOPED_TRACE(bug);
    const Json json = checked(bug, precision);
    const Json &verdict = json["verdict"];
    EXPECT_EQ(verdict["class"], bugClass);
    EXPECT_EQ(verdict["proved"], isProved);
    ASSERT_EQ(json["injected"]["others"].size(), 1U);
    EXPECT_EQ(json["injected"]["others"][0]["id"], "bias-shifted");
    ASSERT_EQ(verdict["others"].size(), 1U) << verdict["others"].dump();
    EXPECT_EQ(verdict["others"][0]["layer"], "fire5.expand1x1_relu");
    EXPECT_EQ(verdict["others"][0]["class"], "bias_loading");
  }
  // A proved race beside a wrong pass is not guessed, but named.
  const Json race = runJson({file, "--precision", "fp16", "--tiles", "4", "--inject", "concat-order",
                             "--inject", "wait-deleted:index=0@fire3.squeeze_relu"},
                            1)["verdict"];
  EXPECT_EQ(race["class"], "rewrite");
  ASSERT_EQ(race["others"].size(), 1U) << race["others"].dump();
  EXPECT_EQ(race["others"][0]["class"], "synchronisation");
  EXPECT_EQ(race["others"][0]["proved_by"], "analyser");
  const Outcome outcome =
      run({file, "--tiles", "4", "--quiet", "--inject", "weights-flipped@fire3.expand3x3_relu", "--inject",
           "bias-shifted:by=3@fire5.expand1x1_relu"});
  EXPECT_TRUE(contains(outcome.output, "another bug on fire5.expand1x1_relu: bias_loading"))
      << outcome.output;
  // One bug leaves no other.
  EXPECT_TRUE(runJson({file, "--tiles", "4", "--inject", "bias-missing"}, 1)["verdict"]["others"].empty());
}

// Where a pass of the compiler is suspected, the check of all passes needs no option: of a layer that the emitted model computes
// otherwise than the original one, and of a scale that does not fit the calibrated range and thus changes no comparison.
TEST_F(CheckCommand, AWrongPassIsFoundUnasked) {
  const std::string file = makeSqueezeNet("3", "squeezenet.onnx");
  for (const auto &[bug, precision, pass, bugClass] :
       {std::tuple{"concat-order", "fp16", "", "rewrite"},
        {"scale-of-neighbour", "int8", "decide-precision", "type_decision"}}) {
    SCOPED_TRACE(bug);
    const Json json = runJson({file, "--precision", precision, "--tiles", "4", "--inject", bug}, 1);
    const Json &verdict = json["verdict"];
    EXPECT_EQ(verdict["class"], bugClass);
    EXPECT_EQ(verdict["proved"], true);
    EXPECT_EQ(verdict["proved_by"], "pass check");
    const Json &wrong = json["passes"]["first_wrong"];
    EXPECT_EQ(wrong["pass"], json["injected"]["pass"]);
    EXPECT_TRUE(*pass == 0 || wrong["pass"] == pass);
    EXPECT_TRUE(wrong["reproducer"].is_null()); // only written where files are asked for
  }
  EXPECT_FALSE(std::filesystem::exists("squeezenet-wrong-pass"));
  const Json reported =
      runJson({file, "--precision", "fp16", "--inject", "concat-order", "--report", path("out")}, 1);
  EXPECT_TRUE(std::filesystem::exists(reported["passes"]["first_wrong"]["reproducer"].get<std::string>()));
  // Of a right program nothing is said about passes.
  EXPECT_FALSE(runJson({file, "--precision", "fp16"}, 0).contains("passes"));
}

// A run that deadlocks yields no tensors; the report says so.
TEST_F(CheckCommand, ADeadlockHasAReport) {
  const Json json = runJson({model, open, shape, "--tiles", "4", "--inject", "signal-deleted",
                             "--inject-seed", "4", "--on-fault", "stop", "--report", path("out")},
                            1);
  EXPECT_EQ(json["verdict"]["class"], "synchronisation");
  EXPECT_EQ(json["verdict"]["proved"], true);
  EXPECT_TRUE(contains(*readText(path("out/junit.xml")), "tilerig.check.program"));
}

// A race that the analyser finds is reported first, with both instructions. A program with a race is never
// timed, so a limit of cycles counts as violated.
TEST_F(CheckCommand, ARaceIsReportedFirstAndNotTimed) {
  const std::vector<std::string> words = {model,      open,           shape,           "--tiles", "4",
                                          "--inject", "wait-deleted", "--inject-seed", "3"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return more;
  };
  const Outcome said = run(words);
  EXPECT_EQ(said.exitCode, 1);
  EXPECT_TRUE(said.output.starts_with("  verdict on ")) << said.output;
  EXPECT_TRUE(
      contains(said.output.substr(0, said.output.find('\n')), ": synchronisation, proved by the analyser"))
      << said.output;
  EXPECT_TRUE(contains(said.output, "the program: faulty: the analyser found 1 × race")) << said.output;
  EXPECT_TRUE(contains(said.output, "      at stage '")) << said.output;
  const Json timed =
      runJson(with({"--mode", "timed", "--fail-cycles", "1000000000", "--report", path("out")}), 1);
  EXPECT_FALSE(timed.contains("clock"));
  EXPECT_TRUE(contains(timed["run"]["not_timed"], "is not proved free of races"));
  EXPECT_EQ(timed["limit"][0]["status"], "mismatch");
  EXPECT_GT(timed["findings"].size(), 0u);
  EXPECT_EQ(timed["verdict"]["classes"], Json({"synchronisation"}));
  const std::string suites = *readText(path("out/junit.xml"));
  EXPECT_TRUE(contains(suites, "<property name=\"verdict\" value=\"proved: synchronisation on ")) << suites;
  EXPECT_TRUE(contains(suites, "tilerig.check.program")) << suites;
}

TEST_F(CheckCommand, RemarksOnAllTensorsArePrintedOnce) {
  const std::string lines =
      run({model, open, shape, "--inject", "signal-deleted", "--inject-seed", "4", "--on-fault", "stop"})
          .output;
  const size_t first = lines.find(": missing: ");
  EXPECT_NE(first, lines.npos) << lines;
  EXPECT_EQ(lines.find(": missing: ", first + 1), lines.npos) << lines;
  EXPECT_TRUE(contains(lines, " more: missing: ")) << lines;
  EXPECT_FALSE(contains(lines, "\\x0a")) << lines;
}

// Inputs that hold NaN or infinities are noted in the text and in the JSON document; they are no mismatch.
TEST_F(CheckCommand, NonFiniteInputsAreReported) {
  Tensor image(DType::f32, {1, 1, 8, 8});
  image.mutableAs<float>()[5] = NAN;
  image.mutableAs<float>()[6] = -INFINITY;
  TensorMap inputs;
  ASSERT_TRUE(inputs.add("image", image));
  ASSERT_TRUE(writeNpz(path("in.npz"), inputs));
  const std::vector<std::string> words = {model, "-i", path("in.npz"), "--tiles", "4"};
  EXPECT_TRUE(contains(run(words).output, "note: input 'image' has 1 NaN and 1 infinite elements: "));
  EXPECT_EQ(runJson(words, 0)["run"]["not_finite"], "input 'image' has 1 NaN and 1 infinite elements");
  EXPECT_TRUE(runJson({model, open, shape, "--tiles", "4"}, 0)["run"]["not_finite"].is_null());
}

// The option --batch replaces the first size of the input, although the network fixes this size to 1.
TEST_F(CheckCommand, ABatchReplacesTheFirstSize) {
  const std::string network = makeSqueezeNet("1", "a.onnx");
  const auto elementsOf = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {network, "--tiles", "4"});
    return runJson(std::move(more), 0)["layers"].back()["elements"].get<uint64_t>();
  };
  EXPECT_EQ(elementsOf({"--batch", "3"}), 3 * elementsOf({}));
}

// Two programs that store a tensor in different ways differ in its bits although both are right, so they are
// not compared.
TEST_F(CheckCommand, AProgramThatStoresTensorsOtherwiseIsRefused) {
  const auto compile = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {
        commandFolder() + "/tilerig-compile", model, open, shape, "--tiles", "4", "-o", path("a.trb")};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome compiled = runProgram(words);
    EXPECT_EQ(compiled.exitCode, 0) << compiled.errors;
  };
  const auto expectRefused = [&](const std::string &precision, std::string_view why) {
    const Outcome refused =
        run({model, open, shape, "--tiles", "4", "--precision", precision, "--program", path("a.trb")});
    EXPECT_EQ(refused.exitCode, 3);
    EXPECT_TRUE(contains(refused.errors, why)) << refused.errors;
  };
  compile({"--precision", "fp16"});
  expectRefused("bf16", " as fp16, and this check expects bf16; ");
  // A program that was calibrated on other inputs than those of the check is refused.
  compile({"--precision", "int8"});
  expectRefused("int8", "the program was calibrated differently: it stores tensor '");
}

// A program with an injected synchronisation bug is compiled and marked as not proved free of races, and is
// not a match, even if its results happen to be right.
TEST_F(CheckCommand, AProgramWithoutAProofIsNoMatch) {
  const Json json = runJson({model, open, shape, "--tiles", "4", "--inject", "wait-deleted"}, 1);
  EXPECT_EQ(json["match"], false);
  ASSERT_EQ(json["program"].size(), 1u);
  EXPECT_TRUE(contains(json["program"][0]["reason"].get<std::string>(), "not proved free of races"))
      << json["program"];
  EXPECT_EQ(json["verdict"]["class"], "synchronisation");
  EXPECT_EQ(json["verdict"]["proved"], true);
  EXPECT_EQ(json["verdict"]["probabilities"]["synchronisation"], 1);
  EXPECT_FALSE(json["verdict"]["reason"].get<std::string>().empty());
}

TEST_F(CheckCommand, AMutantIsCompiledAndChecked) {
  const auto compile = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {
        commandFolder() + "/tilerig-compile", model, open, shape, "--tiles", "4", "-o", path("mutant.trb")};
    words.insert(words.end(), more.begin(), more.end());
    return runProgram(words);
  };
  const Outcome compiled = compile({"--inject", "weights-flipped:axes=both"});
  ASSERT_EQ(compiled.exitCode, 0) << compiled.errors;
  EXPECT_TRUE(contains(compiled.output, "injected: weights-flipped:axes=both@")) << compiled.output;
  const Json json = runJson({model, open, shape, "--tiles", "4", "--program", path("mutant.trb")}, 1);
  EXPECT_TRUE(contains(compiled.output, json["injected"]["bugs"][0].get<std::string>()));
  EXPECT_TRUE(json["run"]["by_beats"].is_null());
  // A bug that the analyser detects is compiled only with --allow-unproved.
  const Outcome refused = compile({"--inject", "signal-deleted"});
  EXPECT_EQ(refused.exitCode, 3);
  EXPECT_TRUE(contains(refused.errors, "because of the bug, the program cannot be proved free of races"))
      << refused.errors;
  EXPECT_EQ(compile({"--inject", "signal-deleted", "--allow-unproved"}).exitCode, 0);
  EXPECT_EQ(compile({"--inject", "dead-tile"}).exitCode, 2);
  EXPECT_EQ(compile({"--inject", "bias-missing", "--report"}).exitCode, 2);
  EXPECT_EQ(compile({"--allow-unproved"}).exitCode, 2);
  // Injecting the bug "none" gives the same bytes as compiling without --inject.
  ASSERT_EQ(compile({}).exitCode, 0);
  const std::string clean = *readText(path("mutant.trb"));
  ASSERT_EQ(compile({"--inject", "none"}).exitCode, 0);
  EXPECT_EQ(*readText(path("mutant.trb")), clean);
}

TEST_F(CheckCommand, SeveralModelsHaveASummary) {
  ASSERT_TRUE(writeText(path("broken.onnx"), "no model"));
  const std::string sound = makeSqueezeNet("1", "sound.onnx");
  const Json json = runJson({sound, path("broken.onnx"), "--tiles", "4", "--report", path("out")}, 3);
  EXPECT_EQ(json["match"], false);
  ASSERT_EQ(json["models"].size(), 2u);
  EXPECT_EQ(json["models"][0]["match"], true);
  EXPECT_TRUE(contains(json["models"][1]["error"]["place"], "broken.onnx"));
  EXPECT_TRUE(std::filesystem::exists(path("out/sound/report.html")));
  EXPECT_EQ(json["models"][1]["error"]["kind"], "invalidInput");
  // The JUnit file states the error of the broken model, too, beside the result of the sound one.
  const std::string suites = *readText(path("out/junit.xml"));
  EXPECT_TRUE(contains(suites, "failures=\"0\" errors=\"0\"")) << suites;
  EXPECT_TRUE(contains(suites, "failures=\"0\" errors=\"1\"")) << suites;
  EXPECT_TRUE(contains(suites, "broken.onnx: ")) << suites;
  Outcome said = run({sound, path("broken.onnx"), "--tiles", "4"});
  EXPECT_TRUE(contains(said.output, "ERROR    " + path("broken.onnx"))) << said.output;
}

// The name of the model without its extension would be "..", which as a path leads out of the report's
// folder.
TEST_F(CheckCommand, ANameOfDotsStaysInTheReport) {
  const std::string sound = makeSqueezeNet("1", "...onnx");
  ASSERT_TRUE(writeText(path("broken.onnx"), "no model"));
  runJson({sound, path("broken.onnx"), "--tiles", "4", "--report", path("all/out")}, 3);
  EXPECT_TRUE(std::filesystem::exists(path("all/out/...onnx/report.html")));
  EXPECT_FALSE(std::filesystem::exists(path("all/report.html")));
  const Outcome outcome = run({path("broken.onnx"), path(".."), "--report", path("all/out")});
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_TRUE(contains(outcome.errors, "this is a folder, not a file")) << outcome.errors;
}

TEST_F(CheckCommand, OptionsAreRefusedWithTheReason) {
  const auto expect = [&](std::vector<std::string> words, int code, std::string_view why) {
    Outcome outcome = run(std::move(words));
    EXPECT_EQ(outcome.exitCode, code) << outcome.output;
    EXPECT_TRUE(contains(outcome.errors, why)) << outcome.errors;
  };
  expect({model, "--jitter", "1"}, 2, "--mode timed");
  expect({model, "--inject", "bias-mising"}, 2, "did you mean 'bias-missing'?");
  expect({model, "--inject", "none", "--program", "x.trb"}, 2, "tilerig inject");
  expect({model, "--inject", "dead-tile", "--inject", "dead-lane"}, 2, "at most one bug into the hardware");
  expect({model, "--inject", "wrap", "--inject", "halo-lost", "--debug", "x"}, 2, "inject one bug");
  expect({model, open, shape, "--tiles", "4", "--inject", "bias-missing@nowhere"}, 2,
         "no layer of this name");
  expect({model, model, "--input", "x.npz"}, 2, "applies to one model");
  expect({model}, 2, "--input-shape 'image=1x1x8x8'");
  expect({model, open, shape, "--batch", "2"}, 2, "--input-shape sets all dimensions");
  expect({model, open, shape, "--inject-seed", "3"}, 2, "no bug is injected");
  // A wrong classifier file is refused even if it would not be needed.
  expect({model, open, shape, "--tiles", "4", "--classifier", model}, 3, "expected 'bug classifier");
  expect({model, open, shape, "--tiles", "63", "--machine", "tr16"}, 2, "has only 16 tiles");
  expect({model, open, shape, "--precision", "int3"}, 2, "int3");
  expect({model, open, shape, "--baseline", path("nothing")}, 3, "nothing");
  expect({path("no.onnx")}, 3, "no.onnx");
  expect({model, open, shape, "--tiles", "4", "--inject", "bias-missing", "--classifier", model}, 3,
         "expected 'bug classifier");
}

TEST_F(CheckCommand, AShapeWithOtherAxesIsRefusedAsByTheCompiler) {
  const std::string wrong = "image=1x8";
  const Outcome checked = run({model, open, wrong});
  const Outcome compiled =
      runProgram({commandFolder() + "/tilerig-compile", model, open, wrong, "-o", path("digits.trb")});
  EXPECT_EQ(checked.exitCode, 3) << checked.errors;
  EXPECT_EQ(compiled.exitCode, 3) << compiled.errors;
  EXPECT_TRUE(contains(checked.errors, "input 'image'")) << checked.errors;
  EXPECT_TRUE(contains(compiled.errors,
                       "input 'image': --input-shape gives the shape [1, 8], but the model declares 4 axes"))
      << compiled.errors;
  EXPECT_FALSE(std::filesystem::exists(path("digits.trb")));
}

// A timed run has the same verdict, and cycles for the network and its layers.
TEST_F(CheckCommand, ATimedOneTellsWhenLayersRan) {
  const Json json = runJson({model, open, shape, "--mode", "timed", "--tiles", "4"}, 0);
  EXPECT_GT(json["clock"]["cycles"], 0);
  EXPECT_GT(json["clock"]["layers"].size(), 3u);
}

} // namespace
} // namespace tilerig::test
