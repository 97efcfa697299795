// Tests of layers that the compiler handles wrongly in the model that it writes. Program and reference run
// both follow this model, so every tensor matches; but the check reports the fault first and in all its
// outputs.
#include "tests/unit/Verify/ChangedConstants.h"
#include "tests/unit/Verify/CheckedNetwork.h"
#include "verify/Check/CheckRecords.h"
#include "verify/Check/NetworkVerdict.h"
#include "verify/Records/Render.h"

namespace tilerig::verify::test {
namespace {

using Texts = std::vector<std::string>;

// Fixture with a check of squeezenet. The tests replace its comparisons of the layers that the compiler
// writes by comparisons of the same layers with an error injected into a constant.
class StatedWrongly : public testing::Test {
protected:
  StatedWrongly()
      : source(sourceOf("squeezenet", zooNetwork("squeezenet", 48, true))), check(checkOf(source, "int8", 4)),
        run(valueOf(check.run(check.program(), {.threads = 2, .jitter = {}}))) {}

  // Results of the comparison as if the compiler had written a wrong weight before it gave the layers their
  // precisions.
  std::vector<Json> emittedWrongly() const {
    CompiledModel compiled = check.model();
    changeConstant(compiled.layers, "Conv", 1, [](Tensor &weights) { add<float>(weights, 0.5f); });
    std::vector<Json> judged;
    for (const EmittedLayer &layer : valueOf(
             judgeEmitted(compiled, source, check.inputs(), check.expectation().unrounded(), testThreads())))
      judged.push_back(emittedRecord(layer));
    return judged;
  }
  // Results of the comparison as if the compiler had written a wrong scale when it gave a layer its
  // precision.
  std::vector<Json> roundedWrongly() const {
    CompiledModel compiled = check.model();
    changeConstant(compiled.oracle, "QLinearConv", 6,
                   [](Tensor &scale) { scale.mutableAs<float>()[0] *= 2; });
    const Expectation wrong =
        valueOf(valueOf(Oracle::load(source, compiled, testThreads())).expect(check.handedInputs()));
    std::vector<Json> judged;
    for (const RoundedLayer &layer : valueOf(judgeRounded(compiled, "squeezenet", wrong, testThreads())))
      judged.push_back(roundedRecord(layer));
    return judged;
  }
  static CheckDescription description() {
    CheckDescription description;
    description.model = "squeezenet";
    description.precision = "int8";
    return description;
  }
  std::vector<Json> recordsWith(const std::vector<Json> &statements) const {
    std::vector<Json> records = {checkRunRecord(description(), run)};
    records.insert(records.end(), statements.begin(), statements.end());
    EXPECT_TRUE(check.judge(run, {}, [&](const CheckedTensor &tensor) {
      records.push_back(checkedRecord(run.program, tensor));
      EXPECT_EQ(records.back()["status"], "match");
      return success();
    }));
    if (const auto verdict = networkVerdict(run, {}, records))
      records.push_back(*verdict);
    records.push_back(summaryRecord(records));
    return records;
  }
  static Texts wrongIn(const std::vector<Json> &statements) {
    Texts names;
    for (const Json &record : statements)
      if (!isMatch(record))
        names.push_back(record["name"]);
    return names;
  }

  // Checks the first lines of the report, the tensor's row in its table, the verdict and the JUnit file.
  static void expectSaid(const std::vector<Json> &records, const std::string &kind, const Texts &wrong) {
    const Json document = checkDocument(records), &verdict = document["verdict"];
    EXPECT_EQ(document["match"], false);
    EXPECT_EQ(verdict["answer"], "cannot_say");
    EXPECT_TRUE(verdict["class"].is_null()) << verdict;
    EXPECT_EQ(verdict["proved"], false);
    EXPECT_EQ(verdict["stated_wrongly"][kind], wrong);
    EXPECT_FALSE(verdict["layer"].is_null());

    const std::string text = asCheckTable(records);
    EXPECT_LT(text.find("verdict on " + verdict["layer"].get<std::string>()), text.find("tensor  ")) << text;
    EXPECT_LT(text.find("1 layer " + kind + " wrongly"), text.find("tensor  ")) << text;
    const size_t row = text.find("\n  " + wrong.front() + " ");
    ASSERT_NE(row, text.npos) << text;
    const std::string cells = text.substr(row + 1, text.find('\n', row + 1) - row - 1);
    EXPECT_NE(cells.find("wrong as " + kind), cells.npos) << cells;
    EXPECT_EQ(cells.find("match"), cells.npos) << cells;
    EXPECT_EQ(asCheckLines(records).find("verdict on"), 2u);

    const std::string suites = asJUnit(records);
    EXPECT_NE(suites.find("<property name=\"verdict\" value=\"cannot_say on "), suites.npos) << suites;
    EXPECT_NE(suites.find("classname=\"tilerig.check." + kind + "\" name=\"" + wrong.front() + "\">"),
              suites.npos);
  }

  SourceModel source;
  Check check;
  CheckRun run;
};

TEST_F(StatedWrongly, AnEmittedLayerIsWrongThoughEveryTensorMatches) {
  const std::vector<Json> emitted = emittedWrongly();
  const Texts wrong = wrongIn(emitted);
  ASSERT_EQ(wrong.size(), 1u);
  expectSaid(recordsWith(emitted), "emitted", wrong);
}

TEST_F(StatedWrongly, ARoundedLayerIsWrongThoughEveryTensorMatches) {
  const std::vector<Json> rounded = roundedWrongly();
  const Texts wrong = wrongIn(rounded);
  ASSERT_EQ(wrong.size(), 1u);
  expectSaid(recordsWith(rounded), "rounded", wrong);
}

TEST_F(StatedWrongly, CorrectLayersHaveNoError) {
  std::vector<Json> statements;
  for (const EmittedLayer &layer : valueOf(check.judgeEmittedLayers()))
    statements.push_back(emittedRecord(layer));
  const std::vector<Json> records = recordsWith(statements);
  const Json document = checkDocument(records);
  EXPECT_EQ(document["match"], true);
  EXPECT_EQ(document["verdict"]["class"], "no_error");
  EXPECT_TRUE(document["verdict"]["stated_wrongly"].is_null());
  EXPECT_EQ(asCheckTable(records).find("verdict"), std::string::npos);
  EXPECT_EQ(asJUnit(records).find("<properties>"), std::string::npos);
}

// A layer that was fused into another one still has a row of its own, although no tensor of the program has
// its name.
TEST_F(StatedWrongly, ALayerWithoutATensorHasARowOfItsOwn) {
  std::vector<Json> emitted = emittedWrongly();
  for (Json &record : emitted)
    if (!isMatch(record))
      record["name"] = "fused away";
  expectSaid(recordsWith(emitted), "emitted", {"fused away"});
}

} // namespace
} // namespace tilerig::verify::test
