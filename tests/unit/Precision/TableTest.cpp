#include "compiler/Planning/Quantisation/CalibrationTable.h"

#include "isa/Base/Support/File.h"
#include "tests/support/Random.h"
#include "tests/support/TemporaryFolder.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tilerig::test {
using namespace compiler;
namespace {

// A calibration file with one tensor, whose fields are given.
std::string withRow(const std::string &row) {
  return R"({"file_type": "Calibration", "samples": "2 samples", "tensors": {"a": )" + row + "}}";
}
constexpr const char *soundRow =
    R"({"type": "uint8", "method": "mse", "min": 0, "max": 255, "scale": 1, "zero_point": 0})";

void expectRefused(const std::string &text, const std::string &message) {
  auto table = CalibrationTable::parse(text);
  ASSERT_FALSE(table) << text;
  EXPECT_EQ(table.error().message(), message);
}

TEST(CalibrationTable, IsReadAsWritten) {
  auto table = CalibrationTable::parse(withRow(soundRow));
  ASSERT_TRUE(table) << table.error().message();
  EXPECT_EQ(table->samples, "2 samples");
  const CalibratedTensor expected{QuantisedType::uint8, {RangeMethod::Kind::leastSquares}, {0, 255}};
  EXPECT_EQ(*table->get("a"), expected);
}

TEST(CalibrationTable, ComesBackBitForBit) {
  Random random(5);
  CalibrationTable table;
  table.samples = "64 samples of \"pictures\"";
  for (int i = 0; i < 200; ++i) {
    const auto end = [&] {
      return static_cast<float>(
          std::ldexp(random.between(0, 1 << 24), static_cast<int>(random.between(-170, 100))));
    };
    table.tensors["/layer." + std::to_string(i)] = {random.chance(50) ? QuantisedType::int8
                                                                      : QuantisedType::uint8,
                                                    {static_cast<RangeMethod::Kind>(random.below(5)), 99.99},
                                                    {random.chance(20) ? 0 : -end(), end()}};
  }
  const TemporaryFolder folder;
  ASSERT_TRUE(table.save(folder.path("calibration.json")));
  auto again = CalibrationTable::read(folder.path("calibration.json"));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, table);
}

TEST(CalibrationTable, RefusesWhatContradictsItself) {
  expectRefused(
      withRow(R"({"type": "int8", "method": "mse", "min": 0, "max": 255, "scale": 1, "zero_point": 0})"),
      "tensors.a: min and max imply scale 1 and zero_point -128, but the table has 1 and 0; correct min and "
      "max, or scale and zero_point");
  expectRefused(
      withRow(R"({"type": "uint8", "method": "mse", "min": 0, "max": 255, "scale": 2, "zero_point": 0})"),
      "tensors.a: min and max imply scale 1 and zero_point 0, but the table has 2 and 0; correct min and "
      "max, or scale and zero_point");
  expectRefused(
      withRow(R"({"type": "uint8", "method": "mse", "min": 1, "max": 255, "scale": 1, "zero_point": 0})"),
      "tensors.a: the range 1 ... 255 does not contain zero; choose min at most 0 and max at least 0");
}

TEST(CalibrationTable, RefusesWhatIsNone) {
  expectRefused("{}", "file_type: the key is missing");
  expectRefused(R"({"file_type": "ExtStrategy"})", "file_type: must be \"Calibration\", not \"ExtStrategy\"");
  expectRefused(R"({"file_type": "Calibration"})", "tensors: the key is missing");
  expectRefused(R"({"file_type": "Calibration", "tensors": []})", "tensors: must be an object, not a list");
  expectRefused(R"({"file_type": "Calibration", "tensor": {}})",
                "tensor: unknown key; did you mean 'tensors'?");
  expectRefused(withRow("3"), "tensors.a: must be an object, not 3");
  expectRefused(withRow(R"({"type": "int8"})"), "tensors.a.method: the key is missing");
  expectRefused(withRow(R"({"type": "int4"})"),
                "tensors.a.type: unknown value \"int4\"; did you mean 'int8'?");
  expectRefused(withRow(R"({"type": "int8", "method": "entropy", "min": "0"})"),
                "tensors.a.min: must be a number, not \"0\"");
  expectRefused(withRow(R"({"type": "int8", "method": "entropy", "min": -1e39})"),
                "tensors.a.min: the number is outside the range of a 32-bit float");
  expectRefused(withRow(R"({"type": "int8", "method": "guess"})"),
                "tensors.a.method: there is no calibration method 'guess'; expected min-max, percentile, "
                "entropy, mse or average");
  expectRefused(withRow(R"({"tpye": "int8"})"), "tensors.a.tpye: unknown key; did you mean 'type'?");
}

TEST(CalibrationTable, SaysWhichTensorItLacks) {
  auto table = CalibrationTable::parse(withRow(soundRow));
  ASSERT_TRUE(table);
  EXPECT_EQ(table->get("conv1").error().message(),
            "calibration: the table has no range for tensor 'conv1'; calibrate this model again");
  table->tensors["conv2"] = table->tensors["a"];
  EXPECT_EQ(table->get("conv1").error().remedy,
            "calibrate this model again; the most similar name in the table is 'conv2'");
}

TEST(CalibrationTable, NamesTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.path("c.json");
  ASSERT_TRUE(writeText(path, "{"));
  EXPECT_TRUE(CalibrationTable::read(path).error().message().starts_with(path + ": line 1, column 2: "));
  EXPECT_FALSE(CalibrationTable::read(folder.path("none.json")));
}

} // namespace
} // namespace tilerig::test
