#include "emulator/Host/Kernels.h"

#include "isa/Program/HostSignature.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>

namespace tilerig::emulator {

namespace {

constexpr std::array kernels = {
    HostKernel{"Abs", runAbs},
    HostKernel{"Add", runAdd},
    HostKernel{"BitShift", runBitShift},
    HostKernel{"BitwiseAnd", runBitwiseAnd},
    HostKernel{"BitwiseNot", runBitwiseNot},
    HostKernel{"BitwiseOr", runBitwiseOr},
    HostKernel{"BitwiseXor", runBitwiseXor},
    HostKernel{"Cast", runCast},
    HostKernel{"Concat", runConcat},
    HostKernel{"Div", runDiv},
    HostKernel{"Equal", runEqual},
    HostKernel{"Expand", runExpand},
    HostKernel{"GRU", runGru},
    HostKernel{"GatherElements", runGatherElements},
    HostKernel{"GatherND", runGatherND},
    HostKernel{"Greater", runGreater},
    HostKernel{"GreaterOrEqual", runGreaterOrEqual},
    HostKernel{"GridSample", runGridSample},
    HostKernel{"LSTM", runLstm},
    HostKernel{"Less", runLess},
    HostKernel{"LessOrEqual", runLessOrEqual},
    HostKernel{"Max", runMax},
    HostKernel{"MaxRoiPool", runMaxRoiPool},
    HostKernel{"Min", runMin},
    HostKernel{"Mod", runMod},
    HostKernel{"Mul", runMul},
    HostKernel{"Neg", runNeg},
    HostKernel{"NonMaxSuppression", runNonMaxSuppression},
    HostKernel{"NonZero", runNonZero},
    HostKernel{"Pow", runPow},
    HostKernel{"RNN", runRnn},
    HostKernel{"Reshape", runReshape},
    HostKernel{"ReverseSequence", runReverseSequence},
    HostKernel{"RoiAlign", runRoiAlign},
    HostKernel{"ScatterElements", runScatterElements},
    HostKernel{"ScatterND", runScatterND},
    HostKernel{"Sign", runSign},
    HostKernel{"Slice", runSlice},
    HostKernel{"Sub", runSub},
    HostKernel{"TopK", runTopK},
    HostKernel{"Transpose", runTranspose},
    HostKernel{"Where", runWhere},
};

} // namespace

std::span<const HostKernel> hostKernels() { return kernels; }

const HostKernel *findHostKernel(std::string_view name) {
  const auto row = std::ranges::find(kernels, name, &HostKernel::name);
  return row == kernels.end() ? nullptr : &*row;
}

Status checkHostKernels(const Program &program, const Framework *framework) {
  for (const Stage &stage : program.stages) {
    const auto *host = std::get_if<proto::HostWork>(&stage.work);
    if (!host)
      continue;
    const std::string place = fmt::format("stage '{}'", stage.name);
    if (host->kernel() == frameworkKernel && !framework)
      return unsupported(place,
                         "the stage runs a part of the model in a framework, and this run has no framework",
                         "compile the model with --only host, or give the session a framework");
    if (host->kernel() != frameworkKernel && !findHostKernel(host->kernel()))
      return unsupported(place, fmt::format("the emulator has no host kernel '{}'", host->kernel()),
                         "compile the model again with this version of tilerig");
  }
  return success();
}

uint64_t countOf(const Shape &shape) {
  uint64_t count = 1;
  for (int64_t size : shape)
    count *= static_cast<uint64_t>(size);
  return count;
}

Error HostCall::refuse(std::string reason) const {
  return invalidInput(fmt::format("host kernel '{}'", work.kernel()), std::move(reason));
}

Result<const Tensor *> HostCall::input(size_t index) const {
  if (index >= inputs.size() || !inputs[index])
    return refuse(fmt::format("input {} is missing", index));
  return inputs[index];
}

Result<int64_t> HostCall::integer(const std::string &attribute, std::optional<int64_t> fallback) const {
  const auto entry = work.attributes().find(attribute);
  if (entry == work.attributes().end() && fallback)
    return *fallback;
  if (entry == work.attributes().end() || entry->second.ints_size() != 1)
    return refuse(fmt::format("attribute '{}' must be one integer", attribute));
  return entry->second.ints(0);
}

Result<std::vector<int64_t>> HostCall::integers(const std::string &attribute) const {
  const auto entry = work.attributes().find(attribute);
  if (entry == work.attributes().end())
    return refuse(fmt::format("attribute '{}' is missing", attribute));
  return std::vector<int64_t>(entry->second.ints().begin(), entry->second.ints().end());
}

Result<float> HostCall::real(const std::string &attribute, float fallback) const {
  const auto entry = work.attributes().find(attribute);
  if (entry == work.attributes().end())
    return fallback;
  if (entry->second.floats_size() != 1)
    return refuse(fmt::format("attribute '{}' must be one float", attribute));
  return entry->second.floats(0);
}

std::string HostCall::text(const std::string &attribute, const std::string &fallback) const {
  const auto entry = work.attributes().find(attribute);
  return entry == work.attributes().end() ? fallback : entry->second.text();
}

Result<Tensor> fitInto(const Shape &reserved, const Tensor &result, const std::string &place) {
  const Shape &shape = result.shape();
  if (result.dtype() != DType::i64 || shape.size() != 2 || reserved.size() != 2 || shape[0] > reserved[0] ||
      shape[1] > reserved[1])
    return invalidInput(
        place, fmt::format("the operator's result has shape {}, but the program reserves only shape {}",
                           showShape(shape), showShape(reserved)));
  TILERIG_TRY(Tensor fitted, Tensor::make(DType::i64, reserved));
  std::ranges::fill(fitted.mutableAs<int64_t>(), -1);
  for (int64_t row = 0; row < shape[0]; ++row)
    std::copy_n(result.as<int64_t>().begin() + row * shape[1], shape[1],
                fitted.mutableAs<int64_t>().begin() + row * reserved[1]);
  return fitted;
}

} // namespace tilerig::emulator
