// Tests that the compiler's list of operators that the framework (the reference interpreter) can run agrees
// with the operators that the interpreter has.
#include "compiler/Layer/FromGraph/Lowerings.h"
#include "reference/Run/Operator.h"

#include <gtest/gtest.h>
#include <set>

namespace tilerig::compiler {
namespace {

// Operators of ONNX that never become parts of a model for the framework: random results cannot be compared.
const std::set<std::string_view> left = {"Bernoulli",        "Multinomial",   "RandomNormal",
                                         "RandomNormalLike", "RandomUniform", "RandomUniformLike"};

TEST(FrameworkOperators, AreThoseOfTheInterpreter) {
  std::set<std::string_view> known;
  for (const reference::OpEntry &entry : reference::allOps())
    if (entry.domain.empty() || entry.domain == "com.microsoft") {
      known.insert(entry.op);
      const bool isLeft = entry.domain.empty() && left.contains(entry.op);
      EXPECT_EQ(isFrameworkOperator(entry.domain, entry.op), !isLeft) << entry.domain << '.' << entry.op;
    }
  for (const std::string_view operation : left)
    EXPECT_FALSE(isFrameworkOperator("", operation)) << operation;
  EXPECT_FALSE(isFrameworkOperator("", "Adagrad"));
  EXPECT_GT(known.size(), 150u);
}

} // namespace
} // namespace tilerig::compiler
