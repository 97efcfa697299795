// Rules for all injected bugs: without a bug the program is unchanged, the same text of a bug gives the same
// program again, and impossible bugs are refused with a message.
#include "isa/Bugs/Catalogue.h"
#include "isa/Program/Writer.h"
#include "tests/unit/Verify/Mutants.h"

namespace tilerig::verify::test {
namespace {

std::vector<std::byte> bytesOf(const Program &program) { return valueOf(serialiseProgram(program)); }

const MutantMaker &maker() {
  static const std::unique_ptr<SmallNetwork> network = imageNetwork();
  static const MutantMaker instance(*network, "int8", 4);
  return instance;
}

TEST(InjectedPrograms, AreTheCleanOneWhereNothingIsInjected) {
  const SourceModel source = SourceModel::of("small", imageNetwork()->model.bytes());
  CompileOptions options = maker().compileOptions();
  options.keepsOps = false;
  const Check plain = valueOf(Check::create(source, inputsOf(source), options, testThreads()));
  const std::vector<std::byte> clean = bytesOf(plain.program());
  EXPECT_EQ(bytesOf(maker().checked().program()), clean);
  EXPECT_EQ(bytesOf(valueOf(maker().inject("none", 1)).program), clean);
  // A bug that was injected before leaves no trace in the next clean program.
  EXPECT_NE(bytesOf(valueOf(maker().inject("bias-missing", 1)).program), clean);
  compiler::GeneratedProgram again = valueOf(generateProgram(
      *maker().checked().model().deviceOps, maker().compileOptions().machine, options.program));
  EXPECT_EQ(bytesOf(again.program), clean);
  // A hardware defect leaves the program unchanged.
  EXPECT_EQ(bytesOf(valueOf(maker().inject("dead-tile", 1)).program), clean);
}

// The text of an injected bug states all its parameters: injecting it again gives the same program.
TEST(InjectedPrograms, AreInjectedAgainByTheirText) {
  size_t injected = 0;
  for (const Bug &bug : bugCatalogue()) {
    if (bug.isInPass())
      continue; // PassCheckTest.cpp tests the bugs of compiler passes
    const auto first = maker().inject(std::string(bug.id), 5);
    if (!first) {
      EXPECT_EQ(first.error().kind, ErrorKind::unsupported) << bug.id << ": " << first.error().message();
      continue;
    }
    ++injected;
    const std::string text = printBugChoice(first->bug.choice);
    SCOPED_TRACE(text);
    const Mutant again = valueOf(maker().inject(text, 99));
    EXPECT_EQ(printBugChoice(again.bug.choice), text);
    EXPECT_EQ(bytesOf(again.program), bytesOf(first->program));
    EXPECT_EQ(again.faultFile, first->faultFile);
    if (bug.stage != BugStage::none && bug.stage != BugStage::hardware) {
      ASSERT_EQ(first->program.metadata.injected_size(), 1);
      EXPECT_EQ(first->program.metadata.injected(0), text);
    }
  }
  const auto isOfProgram = [](const Bug &bug) { return bug.showsInTensors && !bug.isInPass(); };
  EXPECT_GT(injected, static_cast<size_t>(std::ranges::count_if(bugCatalogue(), isOfProgram)) * 3 / 4);
}

TEST(InjectedPrograms, DifferByTheirSeed) {
  std::set<std::string> texts;
  for (uint64_t seed = 0; seed < 20; ++seed)
    texts.insert(printBugChoice(valueOf(maker().inject("bias-shifted", seed)).bug.choice));
  EXPECT_GT(texts.size(), 10u);
}

void expectRefused(const std::string &text, ErrorKind kind, const std::string &why) {
  const auto mutant = maker().inject(text, 1);
  ASSERT_FALSE(mutant) << text;
  EXPECT_EQ(mutant.error().kind, kind) << mutant.error().message();
  EXPECT_NE(mutant.error().message().find(why), std::string::npos) << mutant.error().message();
}

TEST(InjectedPrograms, AreRefusedWhereABugHasNoPlace) {
  expectRefused("bias-missing@pool", ErrorKind::unsupported, "kind 'MaxPool'");
  expectRefused("pad-amount@soft", ErrorKind::unsupported,
                "no value of this parameter is possible in this layer");
  expectRefused("table-entry@plain", ErrorKind::unsupported, "has no lookup table");
  expectRefused("bias-shifted:by=48@plain", ErrorKind::unsupported,
                "the value 48 of this parameter is not possible in this layer");
  expectRefused("bias-missing@plan", ErrorKind::usage, "did you mean 'plain'?");
  expectRefused("bias-missing@#99", ErrorKind::usage, "the layers are #1 to #");
  expectRefused("partial-lost", ErrorKind::unsupported, "the bug cannot be injected into any layer");
}

// Several bugs at once are those that each choice alone injects, in whatever stage of the compiler.
TEST(InjectedPrograms, CanHaveSeveralBugs) {
  const Check &check = maker().checked();
  const auto injected = [&](const std::vector<std::string> &texts) {
    std::vector<BugChoice> choices;
    for (const std::string &text : texts)
      choices.push_back(valueOf(parseBugChoice(text)));
    return injectBugs(check.model(), maker().compileOptions(), choices, 1);
  };
  const std::vector<std::string> texts = {"bias-missing", "dead-lane", "wait-deleted", "scale-shifted"};
  const Mutant all = valueOf(injected(texts));
  ASSERT_EQ(all.others.size(), texts.size() - 1);
  std::vector<InjectedBug> bugs = {all.bug};
  bugs.insert(bugs.end(), all.others.begin(), all.others.end());
  std::vector<std::string> again;
  for (size_t i = 0; i < texts.size(); ++i) {
    again.push_back(printBugChoice(bugs[i].choice));
    EXPECT_EQ(bugs[i].choice.bug->id, texts[i]);
    EXPECT_EQ(again[i], printBugChoice(valueOf(maker().inject(texts[i], 1 + i)).bug.choice)) << texts[i];
  }
  EXPECT_EQ(all.program.metadata.injected_size(), 3); // the lane is none of the program
  EXPECT_FALSE(all.faultFile.empty());
  EXPECT_EQ(bytesOf(valueOf(injected(again)).program), bytesOf(all.program));
  // Each bug has its effect: without one of them, the program is another.
  for (const size_t i : {0U, 2U, 3U}) {
    std::vector<std::string> fewer = again;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(bytesOf(valueOf(injected(fewer)).program), bytesOf(all.program)) << again[i];
  }
  const auto refused = injected({"dead-lane", "stuck-bit"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
}

// The layer with the bug is blamed. Later layers have wrong results only because their inputs are wrong: with
// correct inputs, they are right.
TEST(InjectedPrograms, AreBlamedOnTheirLayer) {
  for (const char *bug : {"pad-value", "bias-missing", "weights-rows-swapped",
                          "clip-bound:bound=high,percent=60", "weights-type", "scale-power:power=-2"}) {
    const RunMutant ran = maker().run(std::string(bug) + "@plain", 3);
    SCOPED_TRACE(bug);
    EXPECT_EQ(ran.caught.by, "");
    std::map<std::string, TensorStatus> statuses;
    ASSERT_TRUE(maker().checked().judge(ran.run, {}, [&](const CheckedTensor &tensor) {
      statuses[tensor.match.name] = tensor.comparison.status;
      return success();
    }));
    EXPECT_EQ(statuses.at("plain"), TensorStatus::mismatch);
    for (const char *before : {"relu1", "relu2", "pool"})
      EXPECT_EQ(statuses.at(before), TensorStatus::match) << before;
    for (const char *behind : {"wide", "fc"})
      EXPECT_EQ(statuses.at(behind), TensorStatus::inherited) << behind;
  }
}

} // namespace
} // namespace tilerig::verify::test
