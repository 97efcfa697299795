// Tests of dumps whose ONNX model is known: tensors computed again from the dump's own tensors, in the library and by
// `tilerig classify --model`.
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Tensor/Npz.h"
#include "tests/support/OnnxModel.h"
#include "tests/support/RunProgram.h"
#include "tests/support/TemporaryFolder.h"
#include "verify/Dumps/DumpedNumbers.h"
#include "verify/Dumps/ModelOfDumps.h"
#include "verify/Inputs/Transpose.h"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

using namespace verify;
using Json = nlohmann::json;

// Numbers without a pattern, between -1 and 1.
Tensor numbers(const Shape &shape, double phase, float size = 1) {
  Tensor tensor(DType::f32, shape);
  double i = phase;
  for (float &number : tensor.mutableAs<float>())
    number = size * static_cast<float>(std::sin(12.9898 * i) * std::cos(78.233 * i * i)), i += 1;
  return tensor;
}

// 8-bit integers of a tensor with a scale and a zero point; a tenth of the range saturates.
Tensor asBytes(const Tensor &tensor, double step, int zero) {
  Tensor result(DType::i8, tensor.shape());
  for (size_t i = 0; i < tensor.elementCount(); ++i)
    result.mutableAs<int8_t>()[i] = static_cast<int8_t>(
        std::clamp(std::nearbyint(static_cast<double>(tensor.as<float>()[i]) / step) + zero, -128.0, 127.0));
  return result;
}

struct Window {
  int64_t stride = 1, pad = 1, dilation = 1, groups = 1;
};

constexpr int64_t channels = 8, side = 12;

// x → Conv c → Relu r → Conv d → Add s (with r) → Gemm g of the means
void describe(OnnxModel &model, const Tensor &bias, const Window &window = {}) {
  model.input("x", DType::f32, {1, 4, side, side});
  model.initialiser("w1", numbers({channels, 4 / window.groups, 3, 3}, 1, 0.5F));
  model.initialiser("b1", bias);
  onnx::NodeProto &conv = model.node("Conv", {"x", "w1", "b1"}, {"c"});
  setInts(conv, "pads", std::vector<int64_t>(4, window.pad));
  setInts(conv, "strides", {window.stride, window.stride});
  setInts(conv, "dilations", {window.dilation, window.dilation});
  setInt(conv, "group", window.groups);
  model.node("Relu", {"c"}, {"r"});
  model.initialiser("w2", numbers({channels, channels, 1, 1}, 2, 0.4F));
  model.node("Conv", {"r", "w2"}, {"d"});
  model.node("Add", {"d", "r"}, {"s"});
  model.node("GlobalAveragePool", {"s"}, {"p"});
  model.node("Flatten", {"p"}, {"f"});
  model.initialiser("w3", numbers({channels, 100}, 3));
  model.node("MatMul", {"f", "w3"}, {"g"});
  model.output("g");
}

Tensor usualBias() { return numbers({channels}, 5, 0.8F); }

class Dumps : public testing::Test {
protected:
  TemporaryFolder folder;
  reference::Threads threads{1};

  std::string write(const std::string &file, const OnnxModel &model) const {
    EXPECT_TRUE(writeText(folder.path(file), model.bytes()));
    return folder.path(file);
  }
  ModelOfDumps load(const std::string &path) {
    auto model = ModelOfDumps::load(path, threads);
    EXPECT_TRUE(model) << model.error().message();
    return *std::move(model);
  }
  // Every value of the model, in its order.
  static TensorMap valuesOf(const ModelOfDumps &model, const ModelOfDumps::Substitute &substitute = nullptr) {
    TensorMap values;
    const Tensor x = numbers({1, 4, side, side}, 7);
    EXPECT_TRUE(values.add("x", x));
    const auto keep = [&](const std::string &, const Tensor &) { return std::optional<Tensor>(); };
    EXPECT_TRUE(model.run({{"x", x}}, substitute ? substitute : keep,
                          [&](const std::string &name, const Tensor &tensor) {
                            if (!values.find(name)) {
                              EXPECT_TRUE(values.add(name, tensor));
                            }
                          }));
    return values;
  }
  static TensorMap only(const TensorMap &all, const std::vector<std::string> &names) {
    TensorMap some;
    for (const std::string &name : names)
      EXPECT_TRUE(some.add(name, *all.find(name)));
    return some;
  }
  void save(const std::string &file, const TensorMap &tensors) const {
    EXPECT_TRUE(writeNpz(folder.path(file), tensors));
  }
  Outcome classify(std::vector<std::string> words) const {
    words.insert(words.begin(), {commandFolder() + "/tilerig-classify", "--reference", folder.path("r.npz"),
                                 "--target", folder.path("t.npz")});
    return runProgram(words);
  }
  Json classified(const std::vector<std::string> &words, int code) const {
    std::vector<std::string> all = {"--model", folder.path("m.onnx"), "--json"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = classify(all);
    EXPECT_EQ(outcome.exitCode, code) << outcome.output << outcome.errors;
    return Json::parse(outcome.output, nullptr, false);
  }
  static const Json &recordOf(const Json &document, const std::string &name) {
    for (const Json &layer : document["layers"])
      if (layer["name"] == name)
        return layer;
    ADD_FAILURE() << name;
    return document;
  }
  // Writes the model, and dumps of it and of a system that adds the bias of the next output.
  void writeWithWrongBias(const std::vector<std::string> &dumped,
                          const std::function<Tensor(const std::string &, Tensor)> &stored) {
    OnnxModel right, wrong;
    describe(right, usualBias());
    Tensor bias = usualBias();
    const auto own = bias.mutableAs<float>();
    std::rotate(own.begin(), own.begin() + 1, own.end());
    describe(wrong, bias);
    save("r.npz", valuesOf(load(write("m.onnx", right))));
    const TensorMap all = valuesOf(load(write("wrong.onnx", wrong)));
    TensorMap target;
    for (const std::string &name : dumped)
      EXPECT_TRUE(target.add(name, stored(name, *all.find(name))));
    save("t.npz", target);
  }
  // That the document blames the layer of r for its bias, and no other tensor.
  static void expectWrongBias(const Json &document) {
    EXPECT_EQ(document["verdict"]["layer"], "make_r");
    EXPECT_EQ(document["verdict"]["class"], "bias_loading");
    EXPECT_EQ(document["verdict"]["answer"], "named");
    for (const Json &layer : document["layers"])
      if (layer["own"].is_object()) {
        EXPECT_EQ(layer["own"]["wrong"], layer["name"] == "r") << layer["name"];
      }
    EXPECT_EQ(recordOf(document, "s")["status"], "inherited");
    EXPECT_EQ(recordOf(document, "s")["verdict"]["class"], "no_error");
  }
};

TEST_F(Dumps, TheModelGoesOnWithTheDumpedTensors) {
  OnnxModel model;
  describe(model, usualBias());
  const ModelOfDumps loaded = load(write("m.onnx", model));
  EXPECT_EQ(loaded.inputs(), (std::vector<std::string>{"x"}));
  EXPECT_EQ(loaded.computed(), (std::vector<std::string>{"c", "r", "d", "s", "p", "f", "g"}));
  const TensorMap plain = valuesOf(loaded);
  const Tensor zeros(DType::f32, {1, channels, side, side});
  Tensor computed;
  const TensorMap values = valuesOf(loaded, [&](const std::string &name, const Tensor &tensor) {
    if (name == "r")
      computed = tensor;
    return name == "r" ? std::optional(zeros) : std::nullopt;
  });
  EXPECT_TRUE(identical(computed, *plain.find("r")));
  EXPECT_TRUE(identical(*values.find("c"), *plain.find("c")));
  EXPECT_TRUE(identical(*values.find("s"), zeros));
}

TEST_F(Dumps, SumsAreFoundBehindFusedFunctions) {
  OnnxModel model;
  describe(model, usualBias());
  const ModelOfDumps loaded = load(write("m.onnx", model));
  const std::set<std::string> dumped = {"x", "r", "s", "g"};
  const auto first = loaded.productBehind("r", dumped), second = loaded.productBehind("s", dumped),
             last = loaded.productBehind("g", dumped);
  ASSERT_TRUE(first && second && last);
  EXPECT_EQ(first->values(), (std::vector<std::string>{"x", "w1", "b1"}));
  EXPECT_EQ(second->values(),
            (std::vector<std::string>{"r", "w2", "r", "w1", "b1"})); // the second r is added to the sums
  EXPECT_EQ(last->input, "f");
  EXPECT_FALSE(loaded.productBehind("p", dumped)); // a mean
  EXPECT_FALSE(loaded.productBehind("s", {"d"}));  // d is added behind a function of the sums
  EXPECT_EQ(loaded.nodesBehind("s", dumped), 2u);
  EXPECT_EQ(loaded.nodesBehind("s", {"x"}), 4u);
  EXPECT_EQ(loaded.nodesBehind("f", {"s"}), 1u); // Flatten only moves data
  EXPECT_EQ(loaded.followersOf({"p"}), (std::set<std::string>{"p", "f", "g"}));
  EXPECT_EQ(loaded.followersOf({"d"}, {"s"}), (std::set<std::string>{"d", "s"}));
  EXPECT_EQ(loaded.kindOf("r"), "Activation");
  EXPECT_EQ(loaded.kindOf("p"), "AveragePool");
  EXPECT_EQ(loaded.nodeOf("s"), "make_s");
}

// A sum of products by the plain formula.
double sumOf(const Product &product, size_t row, size_t column, size_t output) {
  const auto &[batch, rows, columns, inputs] = product.inputSizes;
  const size_t perGroup = product.weightSizes[3], group = output / (product.outputs() / product.groups);
  double sum = product.bias.empty() ? 0 : static_cast<double>(product.bias[output]);
  for (size_t i = 0; i < product.weightSizes[1]; ++i)
    for (size_t j = 0; j < product.weightSizes[2]; ++j) {
      const int64_t y = static_cast<int64_t>(row) * product.rows.stride - product.rows.padding +
                        static_cast<int64_t>(i) * product.rows.dilation,
                    x = static_cast<int64_t>(column) * product.columns.stride - product.columns.padding +
                        static_cast<int64_t>(j) * product.columns.dilation;
      if (y < 0 || x < 0 || y >= static_cast<int64_t>(rows) || x >= static_cast<int64_t>(columns))
        continue;
      for (size_t k = 0; k < perGroup; ++k)
        sum +=
            static_cast<double>(
                product.input[(static_cast<size_t>(y) * columns + static_cast<size_t>(x)) * inputs +
                              group * perGroup + k]) *
            static_cast<double>(
                product
                    .weights[((output * product.weightSizes[1] + i) * product.weightSizes[2] + j) * perGroup +
                             k]);
    }
  return sum;
}

TEST_F(Dumps, OperandsGiveTheSums) {
  for (const Window &window : {Window{}, Window{2, 1, 1, 1}, Window{1, 0, 2, 2}, Window{3, 2, 1, 4}}) {
    OnnxModel model;
    describe(model, usualBias(), window);
    const ModelOfDumps loaded = load(write("m.onnx", model));
    const TensorMap values = valuesOf(loaded);
    for (const char *value : {"c", "g"}) {
      const Tensor &result = *values.find(value);
      const auto product = productOf(*loaded.productBehind(value, {"x"}), values, {}, result.shape());
      ASSERT_TRUE(product) << value;
      const Tensor turned = result.rank() == 4 ? *transpose(result, {0, 2, 3, 1}) : result;
      const auto &[batch, rows, columns, outputs] = product->resultSizes;
      for (size_t i = 0; i < turned.elementCount(); ++i)
        EXPECT_NEAR(static_cast<double>(turned.as<float>()[i]),
                    sumOf(*product, i / outputs / columns, i / outputs % columns, i % outputs), 1e-4)
            << value << " " << i;
    }
  }
}

// A batch normalisation right behind the sums belongs to weights and bias.
TEST_F(Dumps, NormsBelongToTheSums) {
  OnnxModel model;
  model.input("x", DType::f32, {1, 4, side, side});
  model.initialiser("w", numbers({channels, 4, 3, 3}, 1, 0.5F));
  model.node("Conv", {"x", "w"}, {"c"});
  for (const auto &[name, phase] : {std::pair{"scale", 2.0}, {"shift", 3.0}, {"mean", 4.0}})
    model.initialiser(name, numbers({channels}, phase));
  Tensor variance = numbers({channels}, 5);
  for (float &number : variance.mutableAs<float>())
    number = number * number + 0.1F;
  model.initialiser("variance", variance);
  model.node("BatchNormalization", {"c", "scale", "shift", "mean", "variance"}, {"n"});
  model.node("Relu", {"n"}, {"y"});
  model.output("y");
  const ModelOfDumps loaded = load(write("m.onnx", model));
  const TensorMap values = valuesOf(loaded);
  const Tensor &result = *values.find("n");
  const auto product = productOf(*loaded.productBehind("y", {"x", "y"}), values, {}, result.shape());
  ASSERT_TRUE(product);
  const Tensor turned = *transpose(result, {0, 2, 3, 1});
  const auto &[batch, rows, columns, outputs] = product->resultSizes;
  for (size_t i = 0; i < turned.elementCount(); ++i)
    EXPECT_NEAR(static_cast<double>(turned.as<float>()[i]),
                sumOf(*product, i / outputs / columns, i / outputs % columns, i % outputs), 1e-4);
}

TEST_F(Dumps, PrecisionsAreSeenInTheNumbers) {
  const Tensor plain = numbers({1, 8, 10, 10}, 1);
  const auto precisionOf = [&](const auto &rounded) {
    Tensor tensor = plain;
    for (float &number : tensor.mutableAs<float>())
      number = static_cast<float>(rounded(static_cast<double>(number)));
    return numbersOfDump(tensor, plain, nullptr, {})->precision;
  };
  const auto toBits = [](int bits) {
    return [bits](double value) {
      int exponent = 0;
      const double mantissa = std::frexp(value, &exponent);
      return std::ldexp(std::nearbyint(std::ldexp(mantissa, bits)), exponent - bits);
    };
  };
  EXPECT_EQ(precisionOf([](double value) { return value; }), DumpPrecision::fp32);
  EXPECT_EQ(precisionOf(toBits(11)), DumpPrecision::fp16);
  EXPECT_EQ(precisionOf(toBits(8)), DumpPrecision::bf16);
  EXPECT_EQ(precisionOf([](double value) { return std::nearbyint(value * 50) / 50; }),
            DumpPrecision::eightBits);
  EXPECT_EQ(numbersOfDump(plain, plain, nullptr, DumpPrecision::fp16)->precision, DumpPrecision::fp16);
}

// Few different numbers are not 8-bit numbers if they lie on no grid, or if the model computes few as well; the step of wrong numbers is
// no excuse.
TEST_F(Dumps, WrongNumbersAreNoSteps) {
  const Tensor plain = numbers({1, 8, 10, 10}, 1);
  Tensor few = plain, irregular = plain;
  for (size_t i = 0; i < plain.elementCount(); ++i) {
    few.mutableAs<float>()[i] = i % 2 ? 0 : 65504;
    irregular.mutableAs<float>()[i] = std::exp2(static_cast<float>(i % 20));
  }
  for (const Tensor &wrong : {few, irregular}) {
    const auto found = numbersOfDump(wrong, plain, nullptr, {});
    EXPECT_NE(found->precision, DumpPrecision::eightBits);
    EXPECT_FALSE(RoundingOfDump(*found, 1, 1).explains(0.5, 65504));
  }
  Tensor steps = plain;
  for (float &number : steps.mutableAs<float>())
    number = std::nearbyint(number * 20) / 20;
  EXPECT_EQ(numbersOfDump(steps, plain, nullptr, {})->precision, DumpPrecision::eightBits);
  EXPECT_NE(numbersOfDump(steps, steps, nullptr, {})->precision, DumpPrecision::eightBits);
  // Steps of a wrong tensor that is much too large.
  for (float &number : steps.mutableAs<float>())
    number *= 1000;
  const auto large = numbersOfDump(steps, plain, nullptr, {});
  EXPECT_FALSE(RoundingOfDump(*large, 1, 1).explains(0.5, 50));
  EXPECT_EQ(numbersOfDump(steps, plain, nullptr, DumpPrecision::fp32)->precision, DumpPrecision::fp32);
}

TEST_F(Dumps, AxesAreTurnedToTheModels) {
  const Tensor expected = numbers({1, 3, 4, 5}, 1);
  const Tensor last = *transpose(expected, {0, 2, 3, 1});
  EXPECT_TRUE(identical(numbersOfDump(last, expected, nullptr, {})->numbers, expected));
  EXPECT_TRUE(
      identical(numbersOfDump(*expected.reshaped({3, 4, 5}), expected, nullptr, {})->numbers, expected));
  EXPECT_FALSE(numbersOfDump(*expected.reshaped({4, 3, 5}), expected, nullptr, {}));
  EXPECT_FALSE(numbersOfDump(Tensor(DType::i64, {1, 3, 4, 5}), expected, nullptr, {}));
}

TEST_F(Dumps, BitsOfBfloat16AreRead) {
  Tensor expected(DType::f32, {2}), bits(DType::u16, {2});
  expected.mutableAs<float>()[0] = 1, expected.mutableAs<float>()[1] = -2.5F;
  bits.mutableAs<uint16_t>()[0] = 0x3F80, bits.mutableAs<uint16_t>()[1] = 0xC020;
  const auto found = numbersOfDump(bits, expected, nullptr, {});
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_TRUE(identical(found->numbers, expected));
  EXPECT_EQ(found->precision, DumpPrecision::bf16);
}

TEST_F(Dumps, ScalesOfIntegersAreFound) {
  const Tensor expected = numbers({1, 8, 20, 20}, 1);
  constexpr double step = 1.8 / 255;
  const auto expectScale = [&](const Tensor &integers, const Tensor *usual, double tolerance) {
    const auto found = numbersOfDump(integers, expected, usual, {});
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(found->precision, DumpPrecision::eightBits);
    EXPECT_NEAR(found->step, step, tolerance * step);
    ASSERT_TRUE(found->stored);
    EXPECT_EQ(found->stored->steps.front(), static_cast<float>(found->step));
    EXPECT_TRUE(found->stored->isSigned);
  };
  expectScale(asBytes(expected, step, 11), nullptr, 0.01);
  // A third of the channels is wrong.
  Tensor partly = expected;
  for (size_t i = 0; i < partly.elementCount() / 3; ++i)
    partly.mutableAs<float>()[i] = -partly.as<float>()[i] / 2 + 0.3F;
  expectScale(asBytes(partly, step, 11), nullptr, 0.02);
  // A symmetric type, whose ends saturate.
  Tensor symmetric = asBytes(expected, 0.8 / 127, 0);
  for (int8_t &number : symmetric.mutableAs<int8_t>())
    number = std::max<int8_t>(number, -127);
  const auto found = numbersOfDump(symmetric, expected, nullptr, {});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->step, 0.8 / 127, 1e-4);
  const RoundingOfDump rounding(*found, 1, 1);
  for (size_t i = 0; i < expected.elementCount(); ++i)
    EXPECT_TRUE(rounding.explains(static_cast<double>(expected.as<float>()[i]),
                                  static_cast<double>(found->numbers.as<float>()[i])));
  // All are wrong, but of the usual size.
  expectScale(asBytes(numbers({1, 8, 20, 20}, 0.5), step, 11), nullptr, 0.05);
  // All are wrong and larger: the range of the reference decides.
  const Tensor usual = numbers({1, 8, 20, 20}, 1, 0.9F);
  expectScale(asBytes(numbers({1, 8, 20, 20}, 0.5, 3), step, 0), &usual, 0.05);
}

TEST_F(Dumps, RoundingExplainsLittle) {
  const DumpedNumbers half{numbers({4}, 1), DumpPrecision::fp16};
  const RoundingOfDump rounding(half, 1, 1);
  EXPECT_TRUE(rounding.explains(0.5, 0.5004));
  EXPECT_FALSE(rounding.explains(0.5, 0.51));
  EXPECT_TRUE(rounding.explains(0.5, 0.51, 8));
  EXPECT_TRUE(RoundingOfDump(half, 1, 16).explains(0.5, 0.51));
  EXPECT_TRUE(rounding.explains(NAN, NAN));
  EXPECT_FALSE(rounding.explains(NAN, 1));
  EXPECT_FALSE(rounding.explains(1, INFINITY));
  DumpedNumbers bytes{numbers({4}, 1), DumpPrecision::eightBits, 0.01, {}, -1, 1};
  EXPECT_TRUE(RoundingOfDump(bytes, 1, 1).explains(5, 1)); // it saturates
  EXPECT_FALSE(RoundingOfDump(bytes, 1, 1).explains(0.5, 1));
}

TEST_F(Dumps, TheWrongLayerIsFoundAndNamed) {
  writeWithWrongBias({"x", "r", "s", "g"}, [](const std::string &, Tensor tensor) { return tensor; });
  const Json document = classified({}, 1);
  expectWrongBias(document);
  EXPECT_EQ(recordOf(document, "r")["own"]["precision"], "fp32");
  EXPECT_EQ(recordOf(document, "c")["status"], "missing");
  const Outcome text = classify({"--model", folder.path("m.onnx")});
  EXPECT_NE(text.output.find("first wrong: make_r: bias_loading"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("2 inherited an error, 1 judged wrong"), std::string::npos) << text.output;
}

TEST_F(Dumps, ChannelsMayComeLast) {
  writeWithWrongBias({"x", "r", "s"}, [](const std::string &name, Tensor tensor) {
    return name == "x" ? tensor : *transpose(tensor, {0, 2, 3, 1});
  });
  expectWrongBias(classified({}, 1));
}

TEST_F(Dumps, IntegersNeedNoScales) {
  writeWithWrongBias({"x", "r", "s"}, [](const std::string &name, Tensor tensor) {
    return name == "x" ? tensor : asBytes(tensor, name == "r" ? 0.02 : 0.03, name == "r" ? -128 : -100);
  });
  const Json document = classified({}, 1);
  EXPECT_EQ(document["verdict"]["layer"], "make_r");
  EXPECT_EQ(recordOf(document, "r")["own"]["precision"], "int8");
  EXPECT_EQ(recordOf(document, "s")["own"]["wrong"], false);
}

// A wrong scale shows only if the right one is known; otherwise the numbers fit another one.
TEST_F(Dumps, KnownScalesShowAWrongOne) {
  OnnxModel model;
  describe(model, usualBias());
  const TensorMap values = valuesOf(load(write("m.onnx", model)));
  save("r.npz", values);
  TensorMap target = only(values, {"x"});
  EXPECT_TRUE(target.add(
      "r", asBytes(*values.find("r"), 0.02, -128))); // half the numbers that the scale 0.01 would give
  save("t.npz", target);
  EXPECT_EQ(recordOf(classified({}, 0), "r")["own"]["wrong"], false);
  ASSERT_TRUE(
      writeText(folder.path("s.json"),
                R"({"file_type": "TensorScales", "tensors": {"r": {"scale": 0.01, "zero_point": -128}}})"));
  const Json document = classified({"--scales", folder.path("s.json")}, 1);
  EXPECT_EQ(recordOf(document, "r")["own"]["wrong"], true);
  EXPECT_EQ(recordOf(document, "r")["own"]["scale"], 0.01F);
  EXPECT_EQ(document["verdict"]["layer"], "make_r");
  ASSERT_TRUE(
      writeText(folder.path("f.json"), R"({"file_type": "TensorScales", "tensors": {"x": {"scale": 1}}})"));
  const Outcome refused = classify({"--model", folder.path("m.onnx"), "--scales", folder.path("f.json")});
  EXPECT_EQ(refused.exitCode, 2);
  EXPECT_NE(refused.errors.find("which has no scale"), std::string::npos) << refused.errors;
}

TEST_F(Dumps, ASoundDumpIsNotAccused) {
  OnnxModel model;
  describe(model, usualBias());
  const TensorMap values = valuesOf(load(write("m.onnx", model)));
  save("r.npz", values);
  const auto expectSound = [&](const std::function<Tensor(const Tensor &)> &stored) {
    TensorMap target;
    for (const char *name : {"r", "s"}) // the others are fused
      ASSERT_TRUE(target.add(name, stored(*values.find(name))));
    save("t.npz", target);
    const Json document = classified({}, 0);
    for (const char *name : {"r", "s"}) {
      EXPECT_EQ(recordOf(document, name)["status"], "match");
      EXPECT_EQ(recordOf(document, name)["own"]["wrong"], false);
    }
  };
  expectSound([](const Tensor &tensor) { return tensor; });
  expectSound([](const Tensor &tensor) { return *transpose(tensor, {0, 2, 3, 1}); });
  expectSound([](const Tensor &tensor) { return asBytes(tensor, 0.03, -110); });
}

// Of exchanged dumps, the target is right; but the reference is not what the model computes.
TEST_F(Dumps, AWrongReferenceIsSaid) {
  writeWithWrongBias({"x", "r", "s"}, [](const std::string &, Tensor tensor) { return tensor; });
  EXPECT_FALSE(classified({}, 1).contains("wrong_reference"));
  std::filesystem::rename(folder.path("r.npz"), folder.path("other.npz"));
  std::filesystem::rename(folder.path("t.npz"), folder.path("r.npz"));
  std::filesystem::rename(folder.path("other.npz"), folder.path("t.npz"));
  EXPECT_EQ(classified({}, 0)["wrong_reference"], "r");
  const Outcome text = classify({"--model", folder.path("m.onnx")});
  EXPECT_NE(text.output.find("--reference and --target exchanged?"), std::string::npos) << text.output;
}

// Floats beside 8-bit tensors were computed from them.
TEST_F(Dumps, FloatsBesideIntegersAreNoMoreExact) {
  OnnxModel model;
  describe(model, usualBias());
  const TensorMap values = valuesOf(load(write("m.onnx", model)));
  save("r.npz", values);
  const auto withSumsOff = [&](float by) {
    TensorMap target = only(values, {"x"});
    EXPECT_TRUE(target.add("r", asBytes(*values.find("r"), 0.03, -128)));
    Tensor sums = *values.find("s");
    for (size_t i = 0; i < sums.elementCount(); ++i)
      sums.mutableAs<float>()[i] += i % 2 ? by : -by;
    EXPECT_TRUE(target.add("s", sums));
    save("t.npz", target);
  };
  withSumsOff(0.01F);
  EXPECT_EQ(recordOf(classified({}, 0), "s")["own"]["precision"], "int8");
  classified({"--precision", "fp32"}, 1);
  withSumsOff(2);
  classified({}, 1);
}

// What is computed from a tensor that cannot be used is not accused.
TEST_F(Dumps, NothingIsSaidBehindAnUnusableTensor) {
  writeWithWrongBias({"x", "r", "s"}, [](const std::string &name, Tensor tensor) {
    return name == "r" ? Tensor(DType::i64, tensor.shape()) : tensor;
  });
  const Json document = classified({}, 1);
  EXPECT_EQ(recordOf(document, "r")["status"], "dtype_mismatch");
  EXPECT_EQ(recordOf(document, "s")["verdict"]["answer"], "cannot_say");
  EXPECT_TRUE(recordOf(document, "s")["own"].is_null());
}

// Constants of the model may be dumped, in the precision of the device.
TEST_F(Dumps, ConstantsAreCompared) {
  OnnxModel model;
  describe(model, usualBias());
  const TensorMap values = valuesOf(load(write("m.onnx", model)));
  save("r.npz", values);
  TensorMap target = only(values, {"x", "r"});
  ASSERT_TRUE(target.add("w2", asBytes(*values.find("w2"), 0.4 / 127, 0)));
  save("t.npz", target);
  const Json document = classified({}, 0);
  EXPECT_EQ(recordOf(document, "w2")["own"]["precision"], "int8");
  EXPECT_NEAR(recordOf(document, "w2")["own"]["scale"].get<double>(), 0.4 / 127, 1e-4);
}

// The names of the reference are the model's; a map may give them to other tensors of the target.
TEST_F(Dumps, AMapMaySwapNames) {
  OnnxModel model;
  describe(model, usualBias());
  const TensorMap values = valuesOf(load(write("m.onnx", model)));
  save("r.npz", only(values, {"x", "r", "s"}));
  TensorMap target;
  ASSERT_TRUE(target.add("r", *values.find("s")));
  ASSERT_TRUE(target.add("s", *values.find("r")));
  save("t.npz", target);
  ASSERT_TRUE(writeText(
      folder.path("map.json"),
      R"({"file_type": "TensorMap", "pairs": [{"reference": "r", "target": "s"}, {"reference": "s", "target": "r"}]})"));
  const Json document = classified({"--map", folder.path("map.json")}, 0);
  EXPECT_EQ(recordOf(document, "r")["own"]["wrong"], false);
  EXPECT_EQ(recordOf(document, "s")["own"]["wrong"], false);
}

// A branch with a constant condition is no constant if it reads a computed value.
TEST_F(Dumps, BranchesReadComputedValues) {
  OnnxModel model;
  model.input("x", DType::f32, {1, 4, side, side});
  model.node("Relu", {"x"}, {"a"});
  Tensor truth(DType::boolean, {});
  truth.mutableBytes()[0] = std::byte{1};
  model.initialiser("condition", truth);
  onnx::NodeProto &branch = model.node("If", {"condition"}, {"y"});
  for (const char *name : {"then_branch", "else_branch"}) {
    OnnxGraph inner(addGraph(branch, name));
    inner.node("Neg", {"a"}, {std::string(name) + "_y"});
    inner.output(std::string(name) + "_y");
  }
  model.output("y");
  const ModelOfDumps loaded = load(write("m.onnx", model));
  EXPECT_EQ(loaded.computed(), (std::vector<std::string>{"a", "y"}));
  EXPECT_EQ(loaded.followersOf({"a"}), (std::set<std::string>{"a", "y"}));
}

TEST_F(Dumps, WhatIsMissingIsSaid) {
  writeWithWrongBias({"r", "s"}, [](const std::string &, Tensor tensor) { return tensor; });
  OnnxModel model;
  describe(model, usualBias());
  save("r.npz", only(valuesOf(load(folder.path("m.onnx"))), {"r", "s"}));
  Outcome outcome = classify({"--model", folder.path("m.onnx")});
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_NE(outcome.errors.find("'x'"), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find("--input"), std::string::npos) << outcome.errors;
  save("x.npz", only(valuesOf(load(folder.path("m.onnx"))), {"x"}));
  expectWrongBias(classified({"--input", folder.path("x.npz")}, 1));

  outcome = classify({"--model", folder.path("none.onnx")});
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_NE(outcome.errors.find("none.onnx"), std::string::npos);

  OnnxModel other;
  other.input("x", DType::f32, {1, 4, side, side});
  other.node("Relu", {"x"}, {"unknown"});
  other.output("unknown");
  outcome = classify({"--model", write("other.onnx", other), "--input", folder.path("x.npz")});
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_NE(outcome.errors.find("computes none of the target's tensors"), std::string::npos)
      << outcome.errors;

  EXPECT_EQ(classify({"--input", folder.path("x.npz")}).exitCode, 2); // has no effect without a model
  EXPECT_EQ(classify({"--precision", "fp16"}).exitCode, 2);
}

// A model with a mistake in one node gives the dump; the verdict says which node and which mistake.
class Mistakes : public Dumps {
protected:
  using Describe = std::function<void(OnnxModel &, bool isWrong)>;

  static void head(OnnxModel &model) {
    model.input("x", DType::f32, {1, 4, side, side});
    model.initialiser("w", numbers({channels, 4, 3, 3}, 1, 0.5F));
    model.initialiser("b", usualBias());
    setInts(model.node("Conv", {"x", "w", "b"}, {"c"}), "pads", {1, 1, 1, 1});
  }
  Json judged(const Describe &describe) {
    OnnxModel right, wrong;
    head(right), head(wrong);
    describe(right, false), describe(wrong, true);
    save("r.npz", valuesOf(load(write("m.onnx", right))));
    save("t.npz", valuesOf(load(write("wrong.onnx", wrong))));
    return classified({}, 1);
  }
  void expectNamed(const Describe &describe, const std::string &bugClass, const std::string &words) {
    const Json document = judged(describe);
    const Json &record = recordOf(document, "y");
    EXPECT_EQ(record["verdict"]["answer"], "named");
    EXPECT_EQ(record["verdict"]["class"], bugClass);
    ASSERT_TRUE(record["reproduced_by"].is_object()) << record.dump();
    EXPECT_EQ(record["reproduced_by"]["words"], words);
    EXPECT_GE(record["reproduced_by"]["share"], 0.95);
  }
};

TEST_F(Mistakes, InOneNodeAreNamed) {
  expectNamed(
      [](OnnxModel &model, bool isWrong) {
        model.initialiser("k", numbers({1, channels, 1, 1}, 9));
        model.node("Sub", isWrong ? std::vector<std::string>{"k", "c"} : std::vector<std::string>{"c", "k"},
                   {"y"});
        model.output("y");
      },
      "rewrite", "Sub 'make_y' with its operands exchanged");
  expectNamed(
      [](OnnxModel &model, bool isWrong) {
        setInt(model.node("Softmax", {"c"}, {"y"}), "axis", isWrong ? 2 : 3);
        model.output("y");
      },
      "rewrite", "Softmax 'make_y' with axis 2 in place of 3");
  expectNamed(
      [](OnnxModel &model, bool isWrong) {
        onnx::NodeProto &pool = model.node("AveragePool", {"c"}, {"y"});
        setInts(pool, "kernel_shape", {3, 3});
        setInts(pool, "pads", isWrong ? std::vector<int64_t>{0, 0, 1, 1} : std::vector<int64_t>{1, 1, 0, 0});
        model.output("y");
      },
      "padding", "AveragePool 'make_y' with pads [0, 0, 1, 1] in place of [1, 1, 0, 0]");
  expectNamed(
      [](OnnxModel &model, bool isWrong) {
        model.initialiser("low", Tensor::of<float>({}, {-0.3F}));
        model.initialiser("high", Tensor::of<float>({}, {0.2F}));
        model.node("Clip", {"c", "low", isWrong ? "" : "high"}, {"y"});
        model.output("y");
      },
      "clipping", "Clip 'make_y' without its upper bound");
  expectNamed(
      [](OnnxModel &model, bool isWrong) {
        if (isWrong) {
          model.node("Identity", {"c"}, {"y"});
        } else
          model.node("HardSwish", {"c"}, {"y"});
        model.output("y");
      },
      "instruction_calls", "HardSwish 'make_y' without its function");
  expectNamed(
      [](OnnxModel &model, bool isWrong) {
        setInts(model.node("Transpose", {"c"}, {"y"}), "perm",
                isWrong ? std::vector<int64_t>{0, 1, 3, 2} : std::vector<int64_t>{0, 1, 2, 3});
        model.output("y");
      },
      "orientation", "Transpose 'make_y' with perm [0, 1, 3, 2] in place of [0, 1, 2, 3]");
}

// The usual value of an attribute depends on the operator, axes may be an operand, and the first operand may be a constant.
TEST_F(Mistakes, AreTriedInEveryFormOfANode) {
  expectNamed(
      [](OnnxModel &model, bool isWrong) {
        setFloat(model.node("LeakyRelu", {"c"}, {"y"}), "alpha", isWrong ? 0.1F : 0.01F);
        model.output("y");
      },
      "instruction_calls", "LeakyRelu 'make_y' with alpha 0.1 in place of 0.01");
  for (const char *op : {"ReduceSum", "ReduceMax"})
    expectNamed(
        [&](OnnxModel &model, bool isWrong) {
          const int64_t axis = isWrong ? 2 : 3;
          model.initialiser("axes", Tensor::of<int64_t>({1}, {axis}));
          model.node(op, {"c", "axes"}, {"y"});
          model.output("y");
        },
        "rewrite", std::string(op) + " 'make_y' over the axes [2]");
  expectNamed(
      [](OnnxModel &model, bool isWrong) {
        Tensor square = numbers({side, side}, 3);
        if (isWrong)
          square = *transpose(square, {1, 0});
        model.initialiser("s", square);
        model.node("MatMul", {"s", "c"}, {"y"});
        model.output("y");
      },
      "rewrite", "MatMul 'make_y' with its first operand transposed");
  expectNamed(
      [](OnnxModel &model, bool isWrong) {
        const Shape shape = isWrong ? Shape{side, 1} : Shape{side};
        model.initialiser("v", *numbers({side}, 3).reshaped(shape));
        model.node("Add", {"v", "c"}, {"y"});
        model.output("y");
      },
      "rewrite", "Add 'make_y' with its constants along axis 2");
}

// Also of nodes whose values the target does not have, and of two whose order was exchanged.
TEST_F(Mistakes, InFusedNodesAreNamed) {
  const auto fused = [&](OnnxModel &model, bool isWrong) {
    head(model);
    model.initialiser("k", numbers({1, channels, 1, 1}, 9));
    if (isWrong) {
      model.node("Add", {"c", "k"}, {"a"});
      model.node("Relu", {"a"}, {"y"});
    } else {
      model.node("Relu", {"c"}, {"a"});
      model.node("Add", {"a", "k"}, {"y"});
    }
    model.output("y");
  };
  OnnxModel right, wrong;
  fused(right, false), fused(wrong, true);
  for (const std::vector<std::string> &dumped : {std::vector<std::string>{"c", "y"}, {"y"}}) {
    save("r.npz", valuesOf(load(write("m.onnx", right))));
    TensorMap all = valuesOf(load(write("wrong.onnx", wrong)));
    std::vector<std::string> names = dumped;
    names.emplace_back("x");
    save("t.npz", only(all, names));
    const Json document = classified({}, 1);
    const Json &record = recordOf(document, "y");
    EXPECT_EQ(record["verdict"]["class"], "rewrite");
    ASSERT_TRUE(record["reproduced_by"].is_object()) << record.dump();
    EXPECT_EQ(record["reproduced_by"]["words"], "Relu 'make_a' and Add 'make_y' in the other order");
  }
  const Outcome said = classify({"--model", folder.path("m.onnx")});
  EXPECT_NE(said.output.find("the model computes 100.0 % of the wrong elements, and the right ones, by Relu"),
            std::string::npos)
      << said.output;
}

// A mistake counts only if it gives the wrong elements and leaves the right ones.
TEST_F(Mistakes, ThatDoNotGiveTheDumpAreNotNamed) {
  OnnxModel model;
  head(model);
  setInt(model.node("Softmax", {"c"}, {"y"}), "axis", 3);
  model.output("y");
  TensorMap values = valuesOf(load(write("m.onnx", model)));
  save("r.npz", values);
  // Half of the tensor has the other axis.
  OnnxModel other;
  head(other);
  setInt(other.node("Softmax", {"c"}, {"y"}), "axis", 2);
  other.output("y");
  const TensorMap others = valuesOf(load(write("other.onnx", other)));
  Tensor &mixed = *values.find("y");
  const auto from = others.find("y")->as<float>();
  const auto to = mixed.mutableAs<float>();
  for (size_t i = 0; i < to.size() / 2; ++i)
    to[i] = from[i] + (i % 3 == 0 ? 0.01F : 0.0F);
  save("t.npz", values);
  EXPECT_TRUE(recordOf(classified({}, 1), "y")["reproduced_by"].is_null());
}

} // namespace
} // namespace tilerig::test
