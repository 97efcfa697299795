// For every rule of every instruction: a legal instruction, a twin that breaks only this rule, and the field
// that the checker names. The last test fails if a rule has no twin.

#include "isa/Instructions/Check.h"
#include "isa/Instructions/CheckRules.h"
#include "isa/Instructions/Codec.h"
#include "tests/support/Twins.h"

#include <gtest/gtest.h>

namespace tilerig {
namespace {

const std::vector<Twin> &allTwins() {
  static const std::vector<Twin> twins = [] {
    Twins result;
    addFinishTwins(result);
    addPodTwins(result);
    test::addControlTwins(result);
    test::addDmaTwins(result);
    test::addElementwiseTwins(result);
    test::addMoveTwins(result);
    test::addRowTwins(result);
    test::addImageTwins(result);
    return result.all;
  }();
  return twins;
}

Status check(const Instruction &instruction) {
  return checkInstruction(instruction, samples::machine(), samples::tile, samples::tiles);
}

TEST(Twins, OneIsLegalAndTheOtherIsRefusedByName) {
  for (const Twin &twin : allTwins()) {
    const std::string name = std::string(mnemonicOf(twin.legal)) + ": " + twin.field;
    const Status legal = check(twin.legal), broken = check(twin.broken);
    EXPECT_TRUE(legal) << "the legal twin for " << name << " (" << twin.words
                       << "): " << legal.error().message();
    if (broken) {
      ADD_FAILURE() << name << " (" << twin.words << ") was accepted";
      continue;
    }
    EXPECT_EQ(broken.error().place, name) << broken.error().message();
    EXPECT_NE(broken.error().message().find(twin.words), std::string::npos)
        << broken.error().message() << "\nshould say: " << twin.words;
  }
}

// Index of the first rule of its type that `instruction` breaks; the number of rules if it breaks none.
template <class T>
size_t brokenRule(const T &instruction) {
  const rules::Setting setting{samples::machine(), samples::tile, samples::tiles};
  const auto rules = rules::rulesOf<T>().rules;
  size_t index = 0;
  while (index < rules.size() && rules[index].check(instruction, setting))
    ++index;
  return index;
}

// Whether all fields of the instruction are in range and its types are legal. Only then are the other rules
// evaluated.
template <class T>
bool mayBeAsked(const T &instruction) {
  if (!checkRanges(instruction))
    return false;
  if (rules::rulesOf<T>().types.empty())
    return true;
  return rules::findTypeRow(rules::typeTableOf(instruction).rows,
                            rules::TypedOperands<T>(instruction).span()) != nullptr;
}

TEST(Twins, EveryRuleHasOne) {
  forEachInstructionType([&]<class T>() {
    const auto rules = rules::rulesOf<T>().rules;
    std::vector<bool> broken(rules.size() + 1);
    for (const Twin &twin : allTwins()) {
      if (!std::holds_alternative<T>(twin.broken))
        continue;
      if (!mayBeAsked(std::get<T>(twin.broken)))
        continue;
      broken[brokenRule(std::get<T>(twin.broken))] = true;
    }
    for (size_t i = 0; i < rules.size(); ++i)
      EXPECT_TRUE(broken[i]) << T::mnemonic << ": no twin breaks the rule: " << rules[i].text;
  });
}

} // namespace
} // namespace tilerig
