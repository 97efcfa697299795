#include "verify/Passes/PassRecord.h"

#include "isa/Base/CommandLine/TextTable.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Printable.h"
#include "isa/Base/Tensor/TensorFiles.h"
#include "verify/Records/Figures.h"
#include "verify/Records/Render.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

constexpr const char *precisionPass = "decide-precision";

// Rounds a number to a given number of significant bits.
double toBits(double value, int bits) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::isfinite(value) ? std::ldexp(std::nearbyint(std::ldexp(mantissa, bits)), exponent - bits)
                              : value;
}
constexpr double (*roundings[])(double) = {
    [](double value) { return toBits(value, 24); }, // float
    [](double value) { return toBits(value, 11); }, // float16
    [](double value) { return toBits(value, 8); },  // bfloat16
    [](double value) { return std::trunc(value); }, // an integer
    [](double value) { return std::nearbyint(value); },
};

std::string describe(const compiler::WrongPass &wrong) {
  if (!wrong.contradiction.empty())
    return fmt::format("after pass {} the tensor '{}' cannot be computed: {}", wrong.pass, wrong.tensor,
                       wrong.contradiction);
  return fmt::format("after pass {} the tensor '{}' differs by up to {:.3g}; rounding explains {:.3g}",
                     wrong.pass, wrong.tensor, wrong.maxAbs, wrong.bound);
}

Json asJson(const compiler::WrongPass &wrong, const std::string &reproducer) {
  return {{"class", nameOf(classOf(wrong))},
          {"pass", wrong.pass},
          {"index", wrong.index},
          {"rewrite", wrong.rewrite ? Json(*wrong.rewrite) : Json()},
          {"pattern", wrong.pattern.empty() ? Json() : Json(wrong.pattern)},
          {"operation", wrong.operation},
          {"onnx_node", wrong.onnxNode},
          {"tensor", wrong.tensor},
          {"max_abs", number(wrong.maxAbs)},
          {"bound", number(wrong.bound)},
          {"contradiction", wrong.contradiction.empty() ? Json() : Json(wrong.contradiction)},
          {"before", wrong.before},
          {"after", wrong.after},
          {"reproducer", reproducer.empty() ? Json() : Json(reproducer)},
          {"operations", reproducer.empty() ? Json() : Json(wrong.reproducerOperations)}};
}

} // namespace

void addPrecision(const std::vector<RoundedLayer> &rounded,
                  const std::vector<compiler::DescribedLayer> &layers, compiler::PassCheckResult &result) {
  if (!result.precisionIndex)
    return;
  ++result.checked;
  const auto isWrong = [](const RoundedLayer &layer) { return layer.status == TensorStatus::mismatch; };
  const auto wrong = std::ranges::find_if(rounded, isWrong);
  if (wrong == rounded.end() || (result.firstWrong && result.firstWrong->index <= *result.precisionIndex))
    return;
  compiler::WrongPass blamed;
  blamed.pass = precisionPass;
  blamed.index = *result.precisionIndex;
  blamed.operation = wrong->kind;
  for (const compiler::DescribedLayer &layer : layers)
    if (!layer.outputs.empty() && layer.outputs.front().name == wrong->name)
      blamed.onnxNode = layer.name;
  blamed.tensor = wrong->name;
  blamed.maxAbs = wrong->error;
  blamed.bound = wrong->bound;
  result.firstWrong = std::move(blamed);
}

BugClass classOf(const compiler::WrongPass &wrong) {
  if (wrong.pass == precisionPass)
    return BugClass::typeDecision;
  const Tensor *const before = wrong.values.find("before"), *const after = wrong.values.find("after");
  if (!before || !after || before->dtype() != DType::f64 || after->dtype() != DType::f64)
    return BugClass::rewrite;
  const std::span<const double> right = before->as<double>(), actual = after->as<double>();
  for (const auto round : roundings) {
    const auto isRounded = [&](double value, double other) { return round(value) == other; };
    if (std::ranges::equal(right, actual, isRounded))
      return BugClass::typeDecision;
  }
  return BugClass::rewrite;
}

Json passRecord(const compiler::PassCheckResult &result, const std::string &reproducer) {
  const auto &wrong = result.firstWrong;
  Json record = {{"record", "passes"},
                 {"name", wrong ? "pass " + wrong->pass : "the passes of the compiler"},
                 {"status", wrong ? "wrong" : "match"},
                 {"reason", wrong ? describe(*wrong) : ""},
                 {"ran", result.ran},
                 {"checked", result.checked},
                 {"skipped", Json::array()},
                 {"not_judged", Json::array()},
                 {"first_wrong", wrong ? asJson(*wrong, reproducer) : Json()}};
  for (const compiler::SkippedPass &skipped : result.skipped)
    record["skipped"].push_back(
        {{"pass", skipped.pass}, {"index", skipped.index}, {"reason", skipped.reason}});
  return record;
}

std::string wrongPassLines(const Json &record) {
  const Json &wrong = record["first_wrong"];
  const auto text = [&](const char *field) { return printable(wrong[field].get<std::string>()); };
  std::string lines =
      fmt::format("  wrong pass: {} (number {}): {}\n", text("pass"), wrong["index"].get<size_t>(),
                  inOneLine(record["reason"].get<std::string>()));
  const std::string rewrite = wrong["rewrite"].is_null()
                                  ? std::string("the pass announces no rewrite; the tensor is computed by")
                                  : fmt::format("its rewrite {} ({}) of", wrong["rewrite"].get<size_t>(),
                                                wrong["pattern"].is_null() ? "" : text("pattern"));
  lines += fmt::format("    {} {}, ONNX node '{}'\n", rewrite, text("operation"), text("onnx_node"));
  if (!wrong["reproducer"].is_null())
    lines += fmt::format("    reproduced by an MLIR module of {}: {}\n",
                         countText(wrong["operations"].get<size_t>(), "operation", "operations"),
                         text("reproducer"));
  return lines;
}

Result<std::string> writeReproducer(const std::string &folder, const compiler::WrongPass &wrong) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return invalidInput(folder, fmt::format("the folder cannot be created: {}", error.message()));
  const std::filesystem::path place(folder);
  TILERIG_CHECK_OK(writeTensors(place / "values.npz", wrong.values));
  if (wrong.reproducer.empty())
    return std::string();
  TILERIG_CHECK_OK(writeTensors(place / "inputs.npz", wrong.reproducerInputs));
  TILERIG_CHECK_OK(writeText((place / "reproducer.mlir").string(), wrong.reproducer));
  return (place / "reproducer.mlir").string();
}

} // namespace tilerig::verify
