// Tests of the command `tilerig inspect`, run as a program: its output for each kind of file, and its errors.
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Tensor/Npy.h"
#include "isa/Base/Tensor/Npz.h"
#include "isa/Base/Tensor/TensorProto.h"
#include "isa/Program/Writer.h"
#include "tests/support/Programs/Forge.h"
#include "tests/support/Programs/SampleProgram.h"
#include "tests/support/RunProgram.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <unistd.h>

namespace tilerig::test {
namespace {

class Inspect : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() / ("inspect-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string &name) { return folder / name; }
  static Outcome inspect(std::vector<std::string> words) {
    words.insert(words.begin(), commandFolder() + "/tilerig-inspect");
    return runProgram(words);
  }
  static nlohmann::json json(const std::string &file) {
    Outcome outcome = inspect({file, "--json"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.output;
    return nlohmann::json::parse(outcome.output);
  }

  // A program with everything that inspect prints, and a name with a terminal escape sequence (red text).
  Program program() {
    Program program = smallestProgram(*loadMachine("tiny"));
    program.metadata.set_model("net\x1b[31m");
    proto::HostWork work;
    work.set_kernel("TopK");
    work.add_inputs("input");
    work.add_outputs("input");
    program.stages.push_back({"top", Phase::inference, work});
    (*program.metadata.mutable_layers(0)->mutable_decisions())["tiles"] = "2, by rows";
    program.metadata.mutable_layers(0)->set_macs(1234567);
    addProof(program);
    return program;
  }

  std::filesystem::path folder;
};

bool contains(const std::string &text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_F(Inspect, SummarisesAProgram) {
  ASSERT_TRUE(writeProgram(program(), path("p.trb")));
  Outcome outcome = inspect({path("p.trb")});
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  for (const char *part : {
           "  model    net\\x1b[31m\n",
           "  machine  tiny\n",
           "  tiles    2 of 4\n",
           "  proof    proved free of races by version 1 of the analyser\n",
           "Stages\n"
           "  stage  phase      work                  sequencer  POD  PE  DMA in  DMA out  instructions\n"
           "  main   inference  2 tiles                       2    1   0       0        0             3\n"
           "  top    inference  host: TopK (layer 1)\n",
           "Constants in DDR: 3 B\n"
           "  from    to  size\n"
           "  0x80  0x83   3 B\n",
           "  tensor  role   shape   type     stored  scale @ zero point  memory  pieces  layer  stage\n"
           "  input   input  [2, 3]  float32  fp16                        DDR          1         main\n",
           "  layer  name   kind  where        primitive  strategy       MACs  instructions  ONNX operators\n"
           "      1  conv1        accelerator                       1,234,567             3\n",
       })
    EXPECT_TRUE(contains(outcome.output, part)) << part << "is missing in\n" << outcome.output;
  EXPECT_FALSE(contains(outcome.output, "\x1b"));
}

TEST_F(Inspect, ShowsPartsOfAProgramInFull) {
  Program big = program();
  for (int i = 0; i < 30; ++i) {
    proto::Tensor tensor = big.metadata.tensors(0);
    tensor.set_name("t" + std::to_string(i));
    *big.metadata.add_tensors() = tensor;
  }
  addProof(big);
  ASSERT_TRUE(writeProgram(big, path("p.trb")));
  EXPECT_TRUE(contains(inspect({path("p.trb")}).output, "  ... and 19 more: see --tensors\n"));
  std::string tensors = inspect({path("p.trb"), "--tensors"}).output;
  EXPECT_TRUE(tensors.starts_with("Tensors: 31\n")) << tensors;
  EXPECT_TRUE(contains(tensors, "\n  t29 ")) << tensors;
  EXPECT_FALSE(contains(tensors, "Layers")) << tensors;
  EXPECT_TRUE(inspect({path("p.trb"), "--layers"}).output.starts_with("Layers: 1\n"));
  EXPECT_EQ(inspect({path("p.trb"), "--instructions"}).output, "Instructions\n"
                                                               "  stage  instruction  count\n"
                                                               "  main   halt             2\n"
                                                               "  main   sync             1\n");
}

TEST_F(Inspect, DescribesAProgramToMachines) {
  Program shown = program();
  ASSERT_TRUE(writeProgram(shown, path("p.trb")));
  auto all = json(path("p.trb"));
  EXPECT_EQ(all["kind"], "program");
  EXPECT_EQ(all["model"], shown.metadata.model());
  EXPECT_EQ(all["machine"], nlohmann::json::parse(printMachine(shown.machine)));
  EXPECT_EQ(all["proof"]["state"], "proved");
  EXPECT_EQ(all["proof"]["content_hash"], all["hashes"]["content"]);
  EXPECT_EQ(all["stages"][0]["engines"]["sequencer"], 2);
  EXPECT_EQ(all["stages"][0]["tiles"][1]["instructions"], 1);
  EXPECT_EQ(all["stages"][1]["host"]["kernel"], "TopK");
  EXPECT_EQ(all["constants"][0], nlohmann::json::parse(R"({"address": 128, "size_bytes": 3})"));
  EXPECT_EQ(all["tensors"][0]["pieces"][0]["stride"], (std::vector<int>{6, 2}));
  EXPECT_EQ(all["tensors"][0]["role"], "input");
  EXPECT_EQ(all["layers"][0]["decisions"]["tiles"], "2, by rows");
  EXPECT_EQ(all["layers"][0]["macs"], 1234567);
}

TEST_F(Inspect, ReportsTheStateOfTheProof) {
  auto proofOf = [&](const FileBytes &file) {
    EXPECT_TRUE(writeText(path("p.trb"), {reinterpret_cast<const char *>(file.data()), file.size()}));
    std::string text = inspect({path("p.trb")}).output;
    size_t at = text.find("  proof ");
    return text.substr(at, text.find('\n', at) - at);
  };
  FileBytes proved = *serialiseProgram(program());
  EXPECT_EQ(proofOf(forge(proved, [](proto::Metadata &m) { m.clear_proof(); })),
            "  proof    none: the program is not proved free of races and runs in timed mode only");
  EXPECT_EQ(proofOf(forge(proved, [](proto::Metadata &m) { m.mutable_proof()->set_analyser_version(99); })),
            "  proof    outdated: proved by version 99 of the analyser, but this tilerig has version 1");
  EXPECT_EQ(json(path("p.trb"))["proof"],
            nlohmann::json::parse(R"({"state": "outdated", "analyser_version": 99})"));
}

TEST_F(Inspect, ListsTensors) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                  infinity = std::numeric_limits<float>::infinity();
  TensorMap tensors;
  ASSERT_TRUE(tensors.add("a", Tensor::of<float>({2, 3}, {1.5f, nan, -2, infinity, nan, 0})));
  ASSERT_TRUE(tensors.add("half", Tensor::of<Float16>({2}, {Float16{0x3C00}, Float16{0xC000}})));
  ASSERT_TRUE(tensors.add("brain", Tensor::of<BFloat16>({1}, {BFloat16{0x4049}})));
  ASSERT_TRUE(tensors.add("wide", Tensor::of<uint64_t>({1}, {UINT64_MAX})));
  ASSERT_TRUE(tensors.add("nothing", Tensor(DType::i8, {0, 4})));
  ASSERT_TRUE(tensors.add("nans", Tensor::of<double>({1}, {nan})));
  ASSERT_TRUE(writeNpz(path("t.npz"), tensors));
  // An npz file has no bfloat16 type: its bits come back as uint16.
  EXPECT_EQ(
      inspect({path("t.npz")}).output,
      "  tensor   type     shape   elements  size                   min                   max  NaN  inf\n"
      "  a        float32  [2, 3]         6  24 B                    -2                   inf    2    1\n"
      "  half     float16  [2]            2   4 B                    -2                     1    0    0\n"
      "  brain    uint16   [1]            1   2 B                 16457                 16457    0    0\n"
      "  wide     uint64   [1]            1   8 B  18446744073709551615  18446744073709551615    0    0\n"
      "  nothing  int8     [0, 4]         0   0 B                                                0    0\n"
      "  nans     float64  [1]            1   8 B                                                1    0\n");
  auto all = json(path("t.npz"));
  EXPECT_EQ(all["kind"], "tensors");
  EXPECT_EQ(all["tensors"][0], nlohmann::json::parse(R"({"name": "a", "dtype": "float32", "shape": [2, 3],
      "elements": 6, "size_bytes": 24, "min": -2.0, "max": "inf", "nan": 2, "inf": 1})"));
  EXPECT_TRUE(all["tensors"][4]["min"].is_null());

  ASSERT_TRUE(writeNpy(path("one.npy"), *tensors.find("half")));
  EXPECT_EQ(json(path("one.npy"))["tensors"][0]["min"], -2.0);
  ASSERT_TRUE(writeTensorProto(path("one.pb"), "brain", *tensors.find("brain")));
  EXPECT_EQ(json(path("one.pb"))["tensors"][0]["max"], 3.140625);
}

TEST_F(Inspect, DescribesMachines) {
  Outcome outcome = inspect({"tr64"});
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  // Peak performance of 64 tiles at 1 GHz with 1024, 512 and 64 MACs per cycle, in the units of data sheets.
  for (const char *part :
       {"131.1 TOPS", "65.5 TFLOPS", "8.19 TFLOPS", "102.4 GB/s in all", "64 MiB, 1 MiB in each tile"})
    EXPECT_TRUE(contains(outcome.output, part)) << part;
  EXPECT_EQ(json("tr64")["machine"], nlohmann::json::parse(printMachine(*loadMachine("tr64"))));
  EXPECT_EQ(json("tr64")["derived"]["peak_int8_tops"], 131.072);

  ASSERT_TRUE(writeText(path("mine.json"), printMachine(*loadMachine("tiny"))));
  EXPECT_EQ(inspect({path("mine.json")}).output, inspect({"tiny"}).output);
}

TEST_F(Inspect, RefusesWhatItCannotShow) {
  auto refused = [&](const std::string &file, int exitCode, std::string_view part) {
    Outcome outcome = inspect({file});
    EXPECT_EQ(outcome.exitCode, exitCode);
    EXPECT_EQ(outcome.output, "");
    EXPECT_TRUE(contains(outcome.errors, part)) << outcome.errors;
  };
  ASSERT_TRUE(writeText(path("text.txt"), "hello"));
  refused(path("text.txt"), 3, "this is not a kind of file that inspect can show");
  refused(path("missing.trb"), 3, "cannot open");
  refused("tr65", 3, "tr65: cannot open");
  ASSERT_TRUE(writeText(path("cut.trb"), ""));
  refused(path("cut.trb"), 3, "cut.trb: is empty");
  ASSERT_TRUE(writeText(path("bad.json"), "{}"));
  refused(path("bad.json"), 3, "bad.json");
  ASSERT_TRUE(writeText(path("bad.npz"), "PK"));
  refused(path("bad.npz"), 3, "bad.npz");
  EXPECT_EQ(inspect({}).exitCode, 2);
}

} // namespace
} // namespace tilerig::test
