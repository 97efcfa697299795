// For every rule of every instruction: an instruction that keeps it, its twin that breaks it, and the field
// that the checker names. A rule without a twin fails the last test.

#include "isa/Instructions/Check.h"
#include "isa/Instructions/CheckRules.h"
#include "isa/Instructions/Codec.h"
#include "tests/unit/Instructions/Twins.h"

#include <gtest/gtest.h>

namespace tilerig {
namespace {

const std::vector<Twin> &allTwins() {
  static const std::vector<Twin> twins = [] {
    Twins made;
    addControlTwins(made);
    addDmaTwins(made);
    addFinishTwins(made);
    addPodTwins(made);
    addPeTwins(made);
    return made.all;
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

// The first rule in the instruction's book that the broken twin breaks, if it is one of those.
template <class T>
size_t brokenRule(const T &it) {
  const rules::Setting setting{samples::machine(), samples::tile, samples::tiles};
  const auto rules = rules::rulesOf(rules::Of<T>()).rules;
  size_t index = 0;
  while (index < rules.size() && rules[index].check(it, setting))
    ++index;
  return index;
}

// Rules are asked only of what has its fields in range and its operands of legal types.
template <class T>
bool mayBeAsked(const T &it) {
  if (!checkRanges(it))
    return false;
  if (rules::rulesOf(rules::Of<T>()).types.empty())
    return true;
  return rules::findTypeRow(rules::typeTableOf(it).rows, rules::TypedOperands<T>(it).span()) != nullptr;
}

TEST(Twins, EveryRuleHasOne) {
  forEachInstructionType([&]<class T>() {
    const auto rules = rules::rulesOf(rules::Of<T>()).rules;
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
