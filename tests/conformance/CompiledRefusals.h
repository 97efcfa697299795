// Helpers for tests of models that the compiler must refuse, most of them as the reference does.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/Tensor.h"
#include "tests/support/OnnxModel.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>

namespace tilerig::test {

// The error with which the reference refuses to load the model, or to run it on zeros; none if it runs.
std::optional<Error> referenceError(const std::string &bytes, const std::string &folder = "");
std::optional<Error> compilerError(const std::string &bytes, const std::string &folder = "");

// Whether the compiler must use the reference's words or may use its own.
enum class Words { same, own };
// Expects that compiler and reference refuse the model with errors of the same kind.
void expectSameRefusal(const std::string &bytes, Words words, const std::string &folder = "");
// Expects that compiler and reference refuse the model with the same message, and that it contains `reason`.
void expectSameReason(const OnnxModel &model, const std::string &reason);
// Expects that the compiler refuses the model as unsupported, with a message that contains `text`.
void expectUnsupported(OnnxModel &model, const std::string &text);

inline Tensor ints(std::initializer_list<int64_t> values) {
  return Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values);
}

} // namespace tilerig::test
