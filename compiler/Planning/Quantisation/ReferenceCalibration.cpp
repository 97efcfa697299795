#include "compiler/Planning/Quantisation/ReferenceCalibration.h"

#include "compiler/Processes/ScratchFolder.h"
#include "compiler/Processes/StartCommand.h"
#include "isa/Base/Support/Progress.h"
#include "isa/Base/Tensor/Npz.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>

namespace tilerig::compiler {

ReferenceCalibration::ReferenceCalibration(ReferenceCommand command, std::vector<std::string> inputs,
                                           std::unique_ptr<Samples> samples)
    : command(std::move(command)), inputs(std::move(inputs)), samples(std::move(samples)) {}

// Adds the values of the named tensors in a file to the statistics of the tensors; loads one tensor at a
// time.
static Status addFrom(const std::string &file, const std::vector<std::string> &names,
                      StatisticsByName &result) {
  if (names.empty())
    return success();
  // Checksums of the file are not verified, because the file was written just now.
  TILERIG_TRY(const NpzReader reader, NpzReader::open(file, {.checkSums = false}));
  for (const std::string &name : names) {
    TILERIG_TRY(Tensor tensor, reader.load(name));
    // Numpy files store bfloat16 as uint16. The caller knows that these tensors are floats, so uint16 means
    // bfloat16 here.
    if (tensor.dtype() == DType::u16) {
      TILERIG_TRY(tensor, tensor.reinterpreted(DType::bf16));
    }
    if (auto status = result[name].add(tensor); !status)
      return status.error().within(fmt::format("tensor '{}'", name));
  }
  return success();
}

Status ReferenceCalibration::runSample(uint64_t sample, const std::string &folder, StatisticsByName &result) {
  TILERIG_TRY(const PreparedSample prepared, samples->prepare(sample, folder));
  const std::string captured = folder + "/captured.npz";
  std::vector<std::string> inputNames, computed, arguments = {command.model};
  for (const auto &[name, statistics] : result)
    (std::ranges::count(inputs, name) ? inputNames : computed).push_back(name);
  arguments.insert(arguments.end(), prepared.arguments.begin(), prepared.arguments.end());
  for (const std::string &name : computed)
    arguments.push_back("--capture=" + name);
  if (!computed.empty())
    arguments.push_back("--capture-to=" + captured);
  if (command.threads)
    arguments.push_back(fmt::format("--threads={}", command.threads));
  TILERIG_CHECK_OK(startCommand(command.program, std::move(arguments)));
  TILERIG_CHECK_OK(addFrom(prepared.inputFile, inputNames, result));
  TILERIG_CHECK_OK(addFrom(captured, computed, result));
  // The captured values are deleted before the next sample runs, as they may take gigabytes.
  std::error_code ignored;
  std::filesystem::remove(captured, ignored);
  return success();
}

Result<StatisticsByName> ReferenceCalibration::statistics(std::span<const std::string> tensors) {
  StatisticsByName result;
  for (const std::string &name : tensors)
    result.try_emplace(name);
  if (result.empty())
    return result;
  TILERIG_TRY(const ScratchFolder folder, ScratchFolder::create());
  Progress progress("calibration", samples->count());
  for (uint64_t sample = 0; sample < samples->count(); ++sample) {
    if (auto status = runSample(sample, folder.path(), result); !status) {
      Error error = status.error().within("calibration with " + samples->placeOf(sample));
      if (error.kind == ErrorKind::invalidInput && error.remedy.empty())
        error.remedy = samples->remedy();
      return error;
    }
    progress.advance();
  }
  return result;
}

} // namespace tilerig::compiler
