// Signatures of the operators that run on the host: the number of operands, their types and ranks, and which
// dimensions must agree.
//
// The verifier of programs and the compiler check signatures before any other code uses the operands, so cost
// functions and kernels may rely on them. Rules that depend on attributes (an axis, a layout) are checked by
// the kernel.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/DType.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tilerig {

enum class HostType : uint8_t {
  any,
  number,  // an integer of any size, or a float of 32 or 64 bits: the types that C++ can compare by <
  asFirst, // the type of the host operator's first input
  float32,
  int32,
  int64,
  index, // int32 or int64
};

// Type and shape of an operand. The shape is "*" for any shape, "~" for any shape of the same rank as the
// first input, "=" for the shape of the first input; otherwise one character for each dimension: '.' for any
// size, a digit for that size, or a letter, which stands for the same size everywhere in the signature.
struct HostOperandRule {
  HostType type;
  std::string_view shape;
};

struct HostSignature {
  std::string_view name; // name of the ONNX operator, as in isa/Timing/Host.h
  size_t leastInputs;    // number of required inputs, which come first
  std::span<const HostOperandRule> inputs;
  std::span<const HostOperandRule> outputs; // the first output is required, others may be absent
  // Whether this kernel has attributes for values that ONNX passes as inputs or leaves to be inferred (such
  // as -1 in a shape), or is not defined for all types of the operator. Such a kernel is used for layers that the
  // compiler places on the host; it cannot execute an ONNX node unchanged.
  bool isResolved = false;
};

// Name of the kernel of host stages that run a part of the model in the framework: an interpreter of ONNX in
// the host's process. The attribute `model` of such a stage is that part, as an ONNX model in protobuf's text
// form, whose inputs and outputs are those of the stage, in order. The operands may have any type and shape.
inline constexpr std::string_view frameworkKernel = "framework";
// Name of the attribute of such a host stage that states the estimated number of its operations.
inline constexpr std::string_view frameworkOperations = "operations";

// The signatures of all host operators, sorted by name.
std::span<const HostSignature> hostSignatures();
// The signature of a host operator by name, or null if the host has none.
const HostSignature *findHostSignature(std::string_view name);

struct HostOperand {
  std::optional<DType> type;  // element type; nullopt (unknown) matches any type
  std::vector<int64_t> shape; // sizes of dimensions; a negative one is unknown and matches any size
};

// Checks that a host operator has all required inputs and outputs, and no more than its signature allows.
Status checkHostCounts(const HostSignature &signature, std::span<const bool> inputsPresent, size_t outputs);
// Checks the operands of a host operator like checkHostCounts(), and also their types, ranks and dimensions.
// An absent input is nullopt. The error names the operand.
Status checkHostOperands(const HostSignature &signature, std::span<const std::optional<HostOperand>> inputs,
                         std::span<const HostOperand> outputs);

} // namespace tilerig
