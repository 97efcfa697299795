// Tests of the command `tilerig reference`, run as a program.
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Tensor/Npz.h"
#include "isa/Base/Tensor/TensorProto.h"
#include "tests/support/OnnxModel.h"
#include "tests/support/RunProgram.h"
#include "tests/support/TemporaryFolder.h"

#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

bool contains(const std::string &text, std::string_view part) { return text.find(part) != text.npos; }

class ReferenceCommand : public testing::Test {
protected:
  // A model with sum = x + w and y = Neg(sum); x has the shape 2 x ?, and w may be replaced by an input.
  ReferenceCommand() {
    OnnxModel model;
    model.input("x", DType::f32, {2, 2});
    model.graph.mutable_input(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(1)
        ->set_dim_param("width");
    model.input("w", DType::f32, {1});
    model.initialiser("w", Tensor::of<float>({1}, {0.5f}));
    model.node("Add", {"x", "w"}, {"sum"});
    model.node("Neg", {"sum"}, {"y"});
    model.output("y");
    save(model, "m.onnx");
    EXPECT_TRUE(writeNpz(path("in.npz"), mapOf("x", x)));
  }

  std::string path(const std::string &name) const { return folder.path(name); }
  void save(const OnnxModel &model, const std::string &name) {
    EXPECT_TRUE(writeText(path(name), model.bytes()));
  }
  static TensorMap mapOf(const std::string &name, const Tensor &tensor) {
    TensorMap map;
    EXPECT_TRUE(map.add(name, tensor));
    return map;
  }
  Tensor load(const std::string &file, const std::string &name) {
    auto map = readNpz(path(file));
    EXPECT_TRUE(map) << map.error().message();
    const Tensor *tensor = map ? map->find(name) : nullptr;
    EXPECT_TRUE(tensor) << name;
    return tensor ? *tensor : Tensor();
  }
  Outcome run(std::vector<std::string> words) {
    words.insert(words.begin(), {commandFolder() + "/tilerig-reference", path("m.onnx")});
    return runProgram(words);
  }
  void expectRefused(int code, const std::vector<std::string> &words, std::string_view why) {
    Outcome outcome = run(words);
    EXPECT_EQ(outcome.exitCode, code) << outcome.errors;
    EXPECT_TRUE(contains(outcome.errors, why)) << outcome.errors;
    EXPECT_EQ(outcome.output, "");
  }

  TemporaryFolder folder;
  Tensor x = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor y = Tensor::of<float>({2, 3}, {-1.5f, -2.5f, -3.5f, -4.5f, -5.5f, -6.5f});
};

TEST_F(ReferenceCommand, WritesOutputsUnderTheirNames) {
  Outcome outcome = run({"-i", path("in.npz"), "-o", path("out.npz")});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_TRUE(contains(outcome.output, "output 'y': float32 [2, 3], min -6.5, max -1.5, mean -4\n"))
      << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "out.npz: 1 tensor\n")) << outcome.output;
  EXPECT_TRUE(identical(load("out.npz", "y"), y));
  EXPECT_EQ(readNpz(path("out.npz"))->size(), 1u);
}

// 8-bit simulation: x and the sum are rounded to 256 values each, with the ranges of the given inputs.
TEST_F(ReferenceCommand, SimulatesEightBits) {
  Outcome outcome = run({"-i", path("in.npz"), "--precision", "int8", "-o", path("out.npz")});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_TRUE(contains(outcome.output,
                       "int8 is simulated: 2 values and 0 weight tensors rounded to 8 bits, ranges "
                       "calibrated with these inputs (min-max)\n"))
      << outcome.output;
  const Tensor rounded = load("out.npz", "y");
  EXPECT_FALSE(identical(rounded, y));
  // Tolerance: half a quantisation step of x plus half a step of y.
  for (size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(rounded.as<float>()[i], y.as<float>()[i], 0.5 * 6 / 255 + 0.5 * 6.5 / 255 + 1e-6);

  // The calibration sample reaches only 3, so larger elements of the input saturate.
  ASSERT_TRUE(writeNpz(path("small.npz"), mapOf("x", Tensor::of<float>({2, 3}, {0, 1, 2, 3, 2, 1}))));
  outcome = run({"-i", path("in.npz"), "--precision", "int8", "--calibration", path("small.npz"), "--json",
                 "-o", path("out.npz")});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_FLOAT_EQ(load("out.npz", "y").as<float>()[5], -3.5f);
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json["precision"], "int8");
  EXPECT_EQ(json["simulated_int8"]["samples"], 1);
  EXPECT_EQ(json["simulated_int8"]["from_inputs"], false);

  expectRefused(2, {"-i", path("in.npz"), "--calibration", path("small.npz")}, "add --precision int8");
  expectRefused(2, {"-i", path("in.npz"), "--precision", "int8", "--calibration-method", "mean"},
                "--calibration-method: unknown calibration method 'mean'");
  expectRefused(3, {"-i", path("in.npz"), "--precision", "int8", "--calibration", path("none.npz")},
                "none.npz");
}

TEST_F(ReferenceCommand, PrintsJson) {
  Outcome outcome = run({"-i", path("in.npz"), "--json", "--threads", "2", "--repeat", "3"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json["nodes"], 2);
  EXPECT_EQ(json["precision"], "fp32");
  EXPECT_EQ(json["threads"], 2);
  EXPECT_EQ(json["repeat"], 3);
  EXPECT_GT(json["wall_ms"], 0.0);
  EXPECT_TRUE(json["seed"].is_null());
  const auto &output = json["outputs"][0];
  EXPECT_EQ(output["name"], "y");
  EXPECT_EQ(output["dtype"], "float32");
  EXPECT_EQ(output["shape"], (nlohmann::json{2, 3}));
  EXPECT_EQ(output["min"], -6.5);
  EXPECT_EQ(output["max"], -1.5);
  EXPECT_EQ(output["mean"], -4.0);
}

TEST_F(ReferenceCommand, CapturesWhatIsAskedFor) {
  ASSERT_EQ(run({"-i", path("in.npz"), "--capture", "all", "--capture-to", path("t.npz")}).exitCode, 0);
  EXPECT_EQ(readNpz(path("t.npz"))->size(), 2u);
  EXPECT_TRUE(identical(load("t.npz", "y"), y));
  EXPECT_TRUE(
      identical(load("t.npz", "sum"), Tensor::of<float>({2, 3}, {1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 6.5f})));
  Outcome one = run({"-i", path("in.npz"), "--capture", "sum", "--capture-to", path("s.npz")});
  EXPECT_TRUE(contains(one.output, "s.npz: 1 tensor captured")) << one.output;
  EXPECT_EQ(readNpz(path("s.npz"))->size(), 1u);
  ASSERT_EQ(run({"-i", path("in.npz"), "--capture", "y,sum", "--capture-to", path("s.npz")}).exitCode, 0);
  EXPECT_EQ(readNpz(path("s.npz"))->size(), 2u);
}

TEST_F(ReferenceCommand, RefusesCapturesThatCannotBe) {
  expectRefused(2, {"-i", path("in.npz"), "--capture", "sun", "--capture-to", path("t.npz")},
                "the model computes no value of this name; did you mean 'sum'?");
  expectRefused(2, {"-i", path("in.npz"), "--capture", "x", "--capture-to", path("t.npz")},
                "is an input or an initialiser");
  expectRefused(2, {"-i", path("in.npz"), "--capture", "all"}, "--capture-to");
  expectRefused(2, {"-i", path("in.npz"), "--capture-to", path("t.npz")}, "--capture");
  expectRefused(
      2, {"-i", path("in.npz"), "--capture", "all", "--capture-to", path("t.npz"), "-o", path("t.npz")},
      "the same file is also given as");
  expectRefused(3, {"-i", path("in.npz"), "--capture", "all", "--capture-to", path("absent/t.npz")},
                "does not exist");
  expectRefused(3, {"-i", path("in.npz"), "-o", path("absent/o.npz")}, "does not exist");
  expectRefused(2, {"-i", path("in.npz"), "-o", path("o.csv")}, "o.csv: tensors can be written only as .npz");
  EXPECT_FALSE(std::filesystem::exists(path("t.npz")));
}

// A failed run leaves no output file behind, not even a partial one.
TEST_F(ReferenceCommand, LeavesNothingOfAFailedRun) {
  OnnxModel model;
  model.input("x", DType::f32, {2, 3});
  model.node("Neg", {"x"}, {"minus"});
  model.node("MatMul", {"minus", "minus"}, {"y"});
  model.output("y");
  save(model, "m.onnx");
  expectRefused(
      3, {"-i", path("in.npz"), "--capture", "all", "--capture-to", path("t.npz"), "-o", path("o.npz")},
      "m.onnx: node 'make_y' (MatMul)");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}),
            2); // the failed run leaves only the model and its input in the folder
}

TEST_F(ReferenceCommand, MakesInputsFromASeed) {
  Outcome first = run({"--input-shape", "x=2x50", "--save-inputs", path("a.npz")});
  ASSERT_EQ(first.exitCode, 0) << first.errors;
  EXPECT_TRUE(contains(first.output, "random inputs from seed 0: floats uniform in [-1, 1)")) << first.output;
  Tensor input = load("a.npz", "x");
  EXPECT_EQ(input.shape(), (Shape{2, 50}));
  auto elements = input.as<float>();
  EXPECT_TRUE(std::ranges::all_of(elements, [](float value) { return value >= -1 && value < 1; }));
  EXPECT_LT(*std::ranges::min_element(elements), -0.8f);
  EXPECT_GT(*std::ranges::max_element(elements), 0.8f);
  ASSERT_EQ(run({"--input-shape", "x=2x50", "--save-inputs", path("b.npz"), "--threads", "3"}).exitCode, 0);
  EXPECT_TRUE(identical(load("b.npz", "x"), input));
  ASSERT_EQ(run({"--input-shape", "x=2x50", "--save-inputs", path("c.npz"), "--seed", "1"}).exitCode, 0);
  EXPECT_FALSE(identical(load("c.npz", "x"), input));
}

TEST_F(ReferenceCommand, SetsOpenDimensions) {
  expectRefused(2, {},
                "input 'x': the model declares the shape [2, ?], but a random input needs all dimensions; "
                "set the dimensions with --input-shape");
  expectRefused(2, {"--input-shape", "z=2x3"}, "the model has no input 'z'");
  expectRefused(2, {"--input-shape", "x=2xa"}, "is not a shape");
  expectRefused(2, {"--input-shape", "x=2x"}, "is not a shape");
  expectRefused(2, {"--input-shape", "x=-2x3"}, "is not a shape");
  expectRefused(2, {"--input-shape", "x"}, "has no '='");
  expectRefused(2, {"--input-shape", "x=2x3", "-i", path("in.npz")}, "excludes");
  expectRefused(3, {"--input-shape", "x=3x3"}, "the given tensor has shape [3, 3], expected [2, ?]");
  expectRefused(3, {"--input-shape", "x=2x99999999999"}, "input 'x': there is no memory for a tensor");
  expectRefused(3, {"--input-shape", "x=2x3000000", "--memory-limit", "1MB"}, "raise the memory limit");
}

TEST_F(ReferenceCommand, TakesInputsInEveryForm) {
  // Inputs as in ONNX's test data: a folder with numbered files, outputs among them, and tensors of any name.
  std::filesystem::create_directory(path("set"));
  ASSERT_TRUE(writeTensorProto(path("set/input_0.pb"), "unnamed", x));
  ASSERT_TRUE(writeTensorProto(path("set/output_0.pb"), "y", y));
  ASSERT_EQ(run({"-i", path("set"), "-o", path("out.npz")}).exitCode, 0);
  EXPECT_TRUE(identical(load("out.npz", "y"), y));
  ASSERT_EQ(run({"-i", path("set/input_0.pb"), "-o", path("o.npz")}).exitCode, 0);
  EXPECT_TRUE(identical(load("o.npz", "y"), y));
  // A value may be given for an initialiser that is also a model input.
  ASSERT_TRUE(writeNpz(path("w.npz"), mapOf("w", Tensor::of<float>({1}, {1}))));
  ASSERT_EQ(run({"-i", path("in.npz"), "-i", path("w.npz"), "-o", path("o.npz")}).exitCode, 0);
  EXPECT_EQ(load("o.npz", "y").as<float>()[0], -2);
}

TEST_F(ReferenceCommand, RefusesInputsThatDoNotFit) {
  ASSERT_TRUE(writeNpz(path("z.npz"), mapOf("z", x)));
  expectRefused(3, {"-i", path("z.npz")}, "z.npz: the model has no input 'z'");
  expectRefused(3, {"-i", path("in.npz"), "-i", path("in.npz")}, "input 'x' is given twice");
  ASSERT_TRUE(writeNpz(path("i.npz"), mapOf("x", Tensor(DType::i32, {2, 3}))));
  expectRefused(3, {"-i", path("i.npz")}, "input 'x': the given tensor has type int32, expected float32");
  ASSERT_TRUE(writeNpz(path("w.npz"), mapOf("w", Tensor(DType::f32, {1}))));
  expectRefused(3, {"-i", path("w.npz")}, "m.onnx: input 'x' is not given");
  expectRefused(3, {"-i", path("absent.npz")}, "absent.npz: cannot open");
}

TEST_F(ReferenceCommand, ComputesInEveryPrecision) {
  OnnxModel model;
  model.input("x", DType::f32, {1});
  model.initialiser("third", Tensor::of<float>({1}, {3}));
  model.node("Div", {"x", "third"}, {"y"});
  model.output("y");
  save(model, "m.onnx");
  ASSERT_TRUE(writeNpz(path("in.npz"), mapOf("x", Tensor::of<float>({1}, {1}))));
  auto outputIn = [&](const char *precision) {
    EXPECT_EQ(run({"-i", path("in.npz"), "-o", path("o.npz"), "--precision", precision}).exitCode, 0);
    return load("o.npz", "y");
  };
  EXPECT_EQ(outputIn("fp32").as<float>()[0], 1.0f / 3);
  EXPECT_EQ(outputIn("fp64").as<double>()[0], 1.0 / 3);
  EXPECT_EQ(outputIn("fp16").as<float>()[0], 0x1.554p-2f); // fp16 rounds 1/3 to 11 bits
  EXPECT_EQ(outputIn("bf16").as<float>()[0], 0x1.56p-2f);  // bf16 rounds 1/3 to 8 bits
  expectRefused(2, {"-i", path("in.npz"), "--precision", "fp8"}, "fp8");
  expectRefused(2, {"-i", path("in.npz"), "--arithmetic", "slow"}, "slow");
  expectRefused(2, {"-i", path("in.npz"), "--threads", "0"}, "--threads");
}

// numpy has no bfloat16: its bits are read and written as uint16.
TEST_F(ReferenceCommand, Bfloat16IsItsBits) {
  OnnxModel model;
  model.input("x", DType::bf16, {2});
  model.node("Neg", {"x"}, {"y"});
  model.output("y");
  save(model, "m.onnx");
  ASSERT_TRUE(writeNpz(path("in.npz"), mapOf("x", Tensor::of<uint16_t>({2}, {0x3F80, 0x4000}))));
  Outcome outcome = run({"-i", path("in.npz"), "-o", path("o.npz")});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_TRUE(contains(outcome.output, "bfloat16 [2], min -2, max -1")) << outcome.output;
  EXPECT_TRUE(identical(load("o.npz", "y"), Tensor::of<uint16_t>({2}, {0xBF80, 0xC000})));
}

TEST_F(ReferenceCommand, SaysWhatIsWrongWithAModel) {
  ASSERT_TRUE(writeText(path("m.onnx"), "not a model"));
  expectRefused(3, {"-i", path("in.npz")}, "m.onnx: not an ONNX model, or a truncated one");
  Outcome json = run({"-i", path("in.npz"), "--json"});
  EXPECT_EQ(json.exitCode, 3);
  EXPECT_EQ(nlohmann::json::parse(json.output)["error"]["kind"], "invalidInput");
  OnnxModel model;
  model.input("x", DType::f32, {2, 3});
  model.node("Fly", {"x"}, {"y"});
  model.output("y");
  save(model, "m.onnx");
  expectRefused(3, {"-i", path("in.npz")},
                "m.onnx: node 'make_y' (Fly): operator Fly of opset 21 is not known");
}

} // namespace
} // namespace tilerig::test
