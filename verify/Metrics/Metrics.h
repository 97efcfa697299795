// The metrics of a comparison, as Metrics.def lists them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace tilerig::verify {

enum class MetricKind : uint8_t { count, number, optional };
template <MetricKind kind>
using MetricType = std::conditional_t<kind == MetricKind::count, uint64_t, double>;

// Which tables have a column for a metric, among the tables with a row for each compared tensor.
enum class MetricTables : uint8_t { none, page, all };

struct Metric {
  std::string_view key;     // name of the metric in records and CSV files
  std::string_view heading; // heading of the metric's column in tables; empty if there is none
  MetricTables tables;
};
inline constexpr Metric metrics[] = {
#define METRIC(field, kind, key, heading, tables) {key, heading, MetricTables::tables},
#include "verify/Metrics/Metrics.def"
};
constexpr bool hasHeadingIfInTable(const Metric &metric) {
  return metric.heading.empty() == (metric.tables == MetricTables::none);
}
static_assert(std::ranges::all_of(metrics, hasHeadingIfInTable),
              "a metric has a heading exactly if it has a column in a table");

} // namespace tilerig::verify
