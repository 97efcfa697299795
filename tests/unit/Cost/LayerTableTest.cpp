// Tests of the layer table, which compares statistics of runs with predictions; all numbers are made up.
#include "compiler/Reports/Cost/LayerTable.h"
#include "isa/Base/Support/Json.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

// A program of two layers, the second of which has two stages.
GeneratedProgram twoLayers() {
  GeneratedProgram apart;
  apart.program.machine = *loadMachine("tr64");
  apart.program.tiles = 64;
  apart.program.metadata.set_model("two");
  for (const char *name : {"first", "sec,ond"}) {
    proto::Layer &layer = *apart.program.metadata.add_layers();
    layer.set_name(name);
    layer.set_kind("Conv");
    layer.set_where("accelerator");
    apart.strategy.layers.push_back({.op = "CONV", .applied = {"split_io", "LAMM"}, .tiles = 64});
  }
  apart.stageLayers = {0, 1, 1};
  apart.forecasts.resize(2);
  apart.forecasts[0] = {.runs = true, .cycles = 90, .ocmBytes = 1000};
  apart.forecasts[0].demand.peakCycles = 50;
  apart.forecasts[1] = {.runs = true, .cycles = 220, .ocmBytes = 3000};
  apart.forecasts[1].demand.ddrCycles = 150;
  return apart;
}
Json statistics() {
  const auto layer = [](uint64_t cycles, const char *boundBy, Json criticalBy) {
    uint64_t critical = 0;
    for (const Json &part : criticalBy)
      critical += part.get<uint64_t>();
    return Json{
        {"cycles", cycles},    {"ddr_bytes", 10 * cycles},    {"energy_pj", 0.5},
        {"bound_by", boundBy}, {"critical_cycles", critical}, {"critical_cycles_by", std::move(criticalBy)}};
  };
  return {{"cycles", 260},
          {"bound_cycles", 200},
          {"utilisation", 0.25},
          {"ddr_bytes", 99},
          {"energy_pj", 1.0},
          {"layers",
           {layer(80, "multiplications", {{"pod", 50}, {"synchronisation", 10}}),
            layer(190, "ddr", {{"pod", 30}, {"ddr", 170}})}}};
}
Json statisticsApart() { return {{"stages", {{{"cycles", 100}}, {{"cycles", 120}}, {{"cycles", 80}}}}}; }

TEST(LayerTable, ListsForecastsBesideCountedCycles) {
  const auto table = layerTable(twoLayers(), statistics(), statisticsApart());
  ASSERT_TRUE(table);
  const LayerRow &first = table->rows[0], &second = table->rows[1];
  EXPECT_EQ(first.cycles, 80u);
  EXPECT_EQ(first.alone, 100u);
  EXPECT_EQ(first.predicted, 90u);
  EXPECT_NEAR(first.error(), -0.1, 1e-12);
  EXPECT_DOUBLE_EQ(first.utilisation, 0.5);
  EXPECT_EQ(first.strategy, "split_io+LAMM");
  EXPECT_EQ(second.alone, 200u);
  EXPECT_NEAR(second.error(), 0.1, 1e-12);
  EXPECT_EQ(second.ddrBytes, 1900u);
  EXPECT_EQ(table->cycles, 260u);
  EXPECT_EQ(table->ocmPeakBytes, 3000u);
}

TEST(LayerTable, RefusesCyclesBelowABound) {
  GeneratedProgram apart = twoLayers();
  apart.forecasts[0].demand.peakCycles = 101;
  auto table = layerTable(apart, statistics(), statisticsApart());
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().kind, ErrorKind::internal);
  EXPECT_NE(table.error().message().find("layer 1 ('first')"), std::string::npos) << table.error().message();
  // Refused: the lower bound is above the cycles predicted for the layer.
  apart.forecasts[0].demand.peakCycles = 91;
  EXPECT_FALSE(layerTable(apart, statistics(), statisticsApart()));
  Json all = statistics();
  all["cycles"] = 199;
  EXPECT_FALSE(layerTable(twoLayers(), all, statisticsApart()));
}

// The errors of estimates (of the roofline model) count only layers that have an estimate. A host layer has
// none: only its cycles are predicted.
TEST(LayerTable, ErrorsCountOnlyLayersWithAnEstimate) {
  GeneratedProgram apart = twoLayers();
  EXPECT_EQ(estimateErrors(*layerTable(apart, statistics(), statisticsApart())).layers, 2u);
  apart.program.metadata.mutable_layers(1)->set_where("host");
  const LayerTable table = *layerTable(apart, statistics(), statisticsApart());
  EXPECT_EQ(predictionErrors(table).layers, 2u);
  EXPECT_EQ(estimateErrors(table).layers, 1u);
  EXPECT_NEAR(estimateErrors(table).median, 0.5, 1e-12); // the estimate is off by 50 of 100 cycles
  apart.forecasts[0].runs = false;
  EXPECT_EQ(predictionErrors(*layerTable(apart, statistics(), statisticsApart())).layers, 1u);
}

TEST(LayerTable, CsvHasARowForEachLayerAndTotals) {
  const std::string csv = asCsv(*layerTable(twoLayers(), statistics(), statisticsApart()));
  EXPECT_EQ(
      csv.substr(0, csv.find('\n')),
      "layer,name,kind,where,strategy,tiles,cycles,alone,predicted,error_percent,critical,bound,parallel,"
      "serial,estimate,utilisation_percent,ocm_peak_bytes,ddr_bytes,energy_pj");
  EXPECT_NE(csv.find("\n1,first,Conv,accelerator,split_io+LAMM,64,80,100,90,-10.0,60,50,"), std::string::npos)
      << csv;
  EXPECT_NE(csv.find("\n2,\"sec,ond\",Conv,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\ntotal,two,,,,64,260,300,310,3.3,260,200,"), std::string::npos) << csv;
  EXPECT_EQ(std::ranges::count(csv, '\n'), 4);
}

TEST(LayerTable, ListsTheLayersThatLoseMost) {
  const LayerTable table = *layerTable(twoLayers(), statistics(), statisticsApart());
  const std::string text = asText(table);
  const size_t second =
                   text.find("    2  sec,ond        50 lost, bound 150 by ddr; spent on: ddr 170, pod 30\n"),
               first =
                   text.find("    1  first          10 lost, bound 50 by multiplications; spent on: pod 50, "
                             "synchronisation 10\n");
  ASSERT_NE(second, std::string::npos) << text;
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_LT(second, first);
  const Json layers = asJson(table)["layers"];
  EXPECT_EQ(layers[1]["lost_cycles"], 50);
  EXPECT_EQ(layers[1]["bound_by"], "ddr");
  EXPECT_EQ(layers[1]["critical_cycles_by"]["pod"], 30);
}

// Twenty errors of 1 .. 20 % of either sign: the median is 10 %, and 19 of 20 are 19 % or less.
TEST(LayerTable, ErrorFiguresAreQuantiles) {
  std::vector<double> errors;
  for (int i = 20; i > 0; --i)
    errors.push_back(i % 3 ? 0.01 * i : -0.01 * i);
  const ErrorFigures figures = errorFigures(errors);
  EXPECT_NEAR(figures.median, 0.10, 1e-12);
  EXPECT_NEAR(figures.p95, 0.19, 1e-12);
  EXPECT_EQ(figures.layers, 20u);
  EXPECT_EQ(errorFigures({}).layers, 0u);
  EXPECT_DOUBLE_EQ(errorFigures({-0.3}).p95, 0.3);
}

} // namespace
} // namespace tilerig
