// What each operator of the host takes and gives: how many operands, their types, their ranks, and which
// dimensions agree.
//
// The verifier of programs and the compiler ask here before anything looks at an operand; so cost functions
// and kernels may rely on it. What depends on attributes (an axis, a layout) is for the kernel to check.
#pragma once

#include "isa/Support/Error.h"
#include "isa/Tensor/DType.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tilerig {

enum class HostType : uint8_t {
  any,
  number,  // an integer or a float of 32 or 64 bits, or an integer of fewer: what C++ can order
  asFirst, // that of the first input
  float32,
  int32,
  int64,
  index, // int32 or int64
};

// The shape is "*" for any, "~" for the rank of the first input, "=" for the shape of the first input; else a
// character for each dimension: '.' for any size, a digit for that size, and a letter for a size that is the
// same wherever the letter stands in the signature.
struct HostOperandRule {
  HostType type;
  std::string_view shape;
};

struct HostSignature {
  std::string_view name; // of the ONNX operator, as in isa/Timing/Host.h
  size_t leastInputs;    // that must be there; they come first
  std::span<const HostOperandRule> inputs;
  std::span<const HostOperandRule> outputs; // the first must be there, and none is absent before another
  // What ONNX has as further inputs, or leaves open, is an attribute here. So the kernel is for layers that
  // the compiler puts on the host, and no node of the model is handed to it as it stands.
  bool isResolved = false;
};

// In the order of their names.
std::span<const HostSignature> hostSignatures();
// Null if the host has no operator of that name.
const HostSignature *findHostSignature(std::string_view name);

struct HostOperand {
  std::optional<DType> type;  // of the model; one that is unknown fits everywhere
  std::vector<int64_t> shape; // a negative size is unknown, and fits everywhere
};

// The inputs and outputs that must be there are, and there are no more than the operator has.
Status checkHostCounts(const HostSignature &signature, std::span<const bool> inputsPresent, size_t outputs);
// The same, and types, ranks and dimensions. An input that is absent is empty. The error names the operand.
Status checkHostOperands(const HostSignature &signature, std::span<const std::optional<HostOperand>> inputs,
                         std::span<const HostOperand> outputs);

} // namespace tilerig
