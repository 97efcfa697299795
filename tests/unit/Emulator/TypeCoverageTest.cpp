// Coverage of tests/programs/types: every legal combination of types of every instruction occurs in a program
// of this folder. For every instruction with rules, the folder also has an illegal variant, which is refused.
#include "isa/Assembly/Parser.h"
#include "isa/Base/Support/File.h"
#include "isa/Instructions/CheckRules.h"
#include "tests/support/Folders.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace tilerig {
namespace {

constexpr auto &typeNames = EnumNames<ElementType>::values;

std::vector<Assembly> assembledPrograms() {
  std::vector<Assembly> programs;
  for (const auto &entry : std::filesystem::directory_iterator(test::examplePrograms() + "/types")) {
    if (entry.path().extension() != ".trasm")
      continue;
    auto text = readText(entry.path());
    auto assembly = parseAssembly(text ? *text : "", entry.path().filename());
    EXPECT_TRUE(assembly) << assembly.error().message();
    if (assembly)
      programs.push_back(*std::move(assembly));
  }
  return programs;
}

template <class Visit>
void forEachInstruction(const Program &program, Visit visit) {
  for (const Stage &stage : program.stages)
    for (const auto &code : std::get<DeviceStage>(stage.work).tiles)
      for (const Instruction &instruction : code)
        std::visit(visit, instruction);
}

// A name for a combination of types, such as "binary, the function of two operands is pow: a i8, b fp16,
// output i8".
template <class T>
std::string nameOfCase(const rules::TypeTable<T> &table, std::span<const std::string> types) {
  std::string name = fmt::format("{}{}{}:", T::mnemonic, table.when.empty() ? "" : ", ", table.when);
  size_t column = 0;
  for (const rules::Operand<T> &operand : rules::rulesOf<T>().operands)
    name += fmt::format(" {} {}", operand.name, types[column++]);
  return name;
}

// Adds every combination that a row of the type table allows, including absent optional operands.
template <class T>
void expand(const rules::TypeTable<T> &table, const rules::TypeRow &row, std::vector<std::string> &types,
            std::set<std::string> &cases) {
  const auto operands = rules::rulesOf<T>().operands;
  if (types.size() == operands.size()) {
    cases.insert(nameOfCase(table, types));
    return;
  }
  const size_t column = types.size();
  for (size_t type = 0; type < typeNames.size(); ++type)
    if (row.types[column].contains(static_cast<ElementType>(type))) {
      types.emplace_back(typeNames[type]);
      expand(table, row, types, cases);
      types.pop_back();
    }
  if (operands[column].optional) {
    types.emplace_back("absent");
    expand(table, row, types, cases);
    types.pop_back();
  }
}

std::set<std::string> legalCases() {
  std::set<std::string> cases;
  forEachInstructionType([&]<class T>() {
    const auto &book = rules::rulesOf<T>();
    if (book.types.empty())
      cases.insert(std::string(T::mnemonic));
    for (const rules::TypeTable<T> &table : book.types)
      for (const rules::TypeRow &row : table.rows) {
        std::vector<std::string> types;
        expand(table, row, types, cases);
      }
  });
  return cases;
}

template <class T>
std::string caseOf(const T &instruction) {
  if (rules::rulesOf<T>().types.empty())
    return std::string(T::mnemonic);
  std::vector<std::string> types;
  const rules::TypedOperands<T> operands(instruction); // holds the array over which the loop below iterates
  for (const rules::TypedOperand &operand : operands.span())
    types.emplace_back(operand.type ? typeNames[static_cast<size_t>(*operand.type)] : "absent");
  return nameOfCase(rules::typeTableOf(instruction), types);
}

TEST(TypePrograms, HaveEveryCombinationThatIsLegal) {
  std::set<std::string> shown;
  for (const Assembly &assembly : assembledPrograms()) {
    if (!assembly.test.problems.empty())
      continue;
    EXPECT_FALSE(assembly.test.outputs.empty());
    forEachInstruction(assembly.program, [&](const auto &instruction) { shown.insert(caseOf(instruction)); });
  }
  const std::set<std::string> legal = legalCases();
  EXPECT_GT(legal.size(), 2000u);
  for (const std::string &name : legal)
    EXPECT_TRUE(shown.contains(name)) << "no program shows " << name;
}

TEST(TypePrograms, HaveAnIllegalVariantOfEveryInstructionThatHasRules) {
  std::set<std::string> refused;
  for (const Assembly &assembly : assembledPrograms())
    for (const ExpectedReport &report : assembly.test.problems)
      if (report.kind == "illegal_instruction")
        refused.insert(report.text.substr(0, report.text.find(':')));
  forEachInstructionType([&]<class T>() {
    const auto &book = rules::rulesOf<T>();
    const bool hasRules = !book.operands.empty() || !book.rules.empty();
    EXPECT_TRUE(!hasRules || refused.contains(std::string(T::mnemonic))) << T::mnemonic;
  });
}

// Instructions without type rules, such as delays, markers and barriers, have fields with ranges, which the
// assembler checks.
TEST(TypePrograms, AreRefusedByTheAssemblerOutsideTheRangesOfFields) {
  const auto refusal = [](const std::string &text) {
    auto parsed = parseAssembly(text + "\nhalt\n", "test");
    return parsed ? std::string() : parsed.error().message();
  };
  EXPECT_EQ(refusal("delay engine=pe id=65535 cycles=1"), "");
  EXPECT_NE(refusal("delay engine=pe id=65536 cycles=1").find("id"), std::string::npos);
  EXPECT_NE(refusal("marker kind=elsewhere").find("kind"), std::string::npos);
  EXPECT_NE(refusal("global_barrier layer=16777216").find("layer"), std::string::npos);
  EXPECT_NE(refusal("halt layer=16777216").find("layer"), std::string::npos);
}

} // namespace
} // namespace tilerig
