#include "tests/support/Programs/HostSamples.h"

#include <fmt/ranges.h>

namespace tilerig::test {

namespace {

constexpr DType f32 = DType::f32, i32 = DType::i32, i64 = DType::i64;

// A recurrent operator on a batch of 2 sequences, each of 5 steps with 3 inputs, with a hidden state of 4
// elements.
HostSample recurrent(const std::string &kernel, int64_t gates) {
  const int64_t rows = gates * 4;
  return {kernel,
          {HostOperand{f32, {5, 2, 3}}, HostOperand{f32, {1, rows, 3}}, HostOperand{f32, {1, rows, 4}},
           HostOperand{f32, {1, 2 * rows}}, HostOperand{i32, {2}}, HostOperand{f32, {1, 2, 4}}},
          {{f32, {5, 1, 2, 4}}, {f32, {1, 2, 4}}}};
}

HostSample lstm() {
  HostSample all = recurrent("LSTM", 4);
  all.inputs.push_back(HostOperand{f32, {1, 2, 4}});
  all.inputs.push_back(HostOperand{f32, {1, 12}});
  all.outputs.push_back({f32, {1, 2, 4}});
  return all;
}

// An operator on one element.
HostSample unary(const std::string &kernel, DType type) {
  return {kernel, {HostOperand{type, {4, 5}}}, {{type, {4, 5}}}};
}

// An operator on two elements, with a broadcast operand.
HostSample binary(const std::string &kernel, DType type, DType result) {
  return {kernel, {HostOperand{type, {4, 5}}, HostOperand{type, {5}}}, {{result, {4, 5}}}};
}
HostSample binary(const std::string &kernel, DType type) { return binary(kernel, type, type); }
HostSample comparison(const std::string &kernel) { return binary(kernel, f32, DType::boolean); }

// As many tensors as can be joined.
HostSample concat() {
  return {"Concat", std::vector<std::optional<HostOperand>>(8, HostOperand{f32, {2, 3}}), {{f32, {16, 3}}}};
}

// The machine stores 64-bit integers in 32 bits, and booleans as bytes.
std::string declaration(std::string_view role, const std::string &name, const HostOperand &operand,
                        uint64_t address) {
  const bool isInt32 = operand.type == i32 || operand.type == i64;
  return fmt::format(".{} \"{}\" {} [{}] stored={} ddr[{:#x}]\n", role, name, nameOf(*operand.type),
                     fmt::join(operand.shape, ", "),
                     operand.type == f32 ? "fp32"
                     : isInt32           ? "i32"
                                         : "u8",
                     address);
}

} // namespace

std::vector<HostSample> hostSamples() {
  return {
      unary("Abs", f32),
      binary("Add", f32),
      binary("BitShift", i32),
      binary("BitwiseAnd", i32),
      unary("BitwiseNot", i32),
      binary("BitwiseOr", i32),
      binary("BitwiseXor", i32),
      {"Cast", {HostOperand{f32, {4, 5}}}, {{i64, {4, 5}}}},
      concat(),
      binary("Div", f32),
      comparison("Equal"),
      {"Expand", {HostOperand{f32, {4, 1}}}, {{f32, {4, 5}}}},
      recurrent("GRU", 3),
      {"GatherElements", {HostOperand{f32, {4, 5}}, HostOperand{i64, {2, 5}}}, {{f32, {2, 5}}}},
      {"GatherND", {HostOperand{f32, {4, 5}}, HostOperand{i64, {3, 1}}}, {{f32, {3, 5}}}},
      comparison("Greater"),
      comparison("GreaterOrEqual"),
      {"GridSample", {HostOperand{f32, {1, 2, 4, 5}}, HostOperand{f32, {1, 3, 2, 2}}}, {{f32, {1, 2, 3, 2}}}},
      lstm(),
      comparison("Less"),
      comparison("LessOrEqual"),
      binary("Max", f32),
      {"MaxRoiPool", {HostOperand{f32, {1, 2, 4, 5}}, HostOperand{f32, {3, 5}}}, {{f32, {3, 2, 2, 2}}}},
      binary("Min", f32),
      binary("Mod", i32),
      binary("Mul", f32),
      unary("Neg", f32),
      {"NonMaxSuppression",
       {HostOperand{f32, {1, 6, 4}}, HostOperand{f32, {1, 3, 6}}, HostOperand{i64, {1}},
        HostOperand{f32, {1}}, HostOperand{f32, {}}},
       {{i64, {9, 3}}}},
      {"NonZero", {HostOperand{DType::boolean, {2, 3}}}, {{i64, {2, 6}}}},
      binary("Pow", i32),
      recurrent("RNN", 1),
      {"Reshape", {HostOperand{f32, {4, 5}}}, {{f32, {2, 10}}}},
      {"ReverseSequence", {HostOperand{f32, {5, 2, 3}}, HostOperand{i64, {2}}}, {{f32, {5, 2, 3}}}},
      {"RoiAlign",
       {HostOperand{f32, {1, 2, 4, 5}}, HostOperand{f32, {3, 4}}, HostOperand{i64, {3}}},
       {{f32, {3, 2, 1, 1}}}},
      {"ScatterElements",
       {HostOperand{f32, {4, 5}}, HostOperand{i32, {2, 5}}, HostOperand{f32, {2, 5}}},
       {{f32, {4, 5}}}},
      {"ScatterND",
       {HostOperand{f32, {4, 5}}, HostOperand{i64, {3, 1}}, HostOperand{f32, {3, 5}}},
       {{f32, {4, 5}}}},
      unary("Sign", f32),
      {"Slice", {HostOperand{f32, {4, 5}}}, {{f32, {2, 3}}}},
      binary("Sub", f32),
      {"TopK", {HostOperand{f32, {2, 8}}, HostOperand{i64, {1}}}, {{f32, {2, 3}}, {i64, {2, 3}}}},
      {"Transpose", {HostOperand{f32, {4, 5}}}, {{f32, {5, 4}}}},
      {"Where",
       {HostOperand{DType::boolean, {4, 1}}, HostOperand{f32, {4, 5}}, HostOperand{f32, {}}},
       {{f32, {4, 5}}}}};
}

std::string textOf(const HostSample &sample) {
  std::string text = fmt::format(".machine tiny\n.metadata {{ model: \"host\" layers {{ id: 0 name: \"host\" "
                                 "kind: \"{}\" where: \"host\" }} }}\n",
                                 sample.kernel);
  uint64_t address = 0x1000;
  std::vector<std::string> inputs, outputs;
  for (const auto &input : sample.inputs) {
    inputs.push_back(input ? fmt::format("\"i{}\"", inputs.size()) : "\"\"");
    if (input)
      text += declaration("input", fmt::format("i{}", inputs.size() - 1), *input, address);
    address += 0x1000;
  }
  for (const HostOperand &output : sample.outputs) {
    outputs.push_back(fmt::format("\"o{}\"", outputs.size()));
    text += declaration("output", fmt::format("o{}", outputs.size() - 1), output, address);
    address += 0x1000;
  }
  // The program's device stage is empty, because only its host stage is tested.
  return text + fmt::format(".stage \"device\" inference\n    halt\n.stage \"host\" inference\n.host \"{}\" "
                            "layer=0 inputs=[{}] outputs=[{}]\n",
                            sample.kernel, fmt::join(inputs, ", "), fmt::join(outputs, ", "));
}

} // namespace tilerig::test
