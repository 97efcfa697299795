#include "verify/Records/Render.h"

#include "isa/Base/CommandLine/TextTable.h"
#include "verify/Records/Csv.h"
#include "verify/Records/Xml.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

// The value of a record's field, or null if the record does not have it.
Json fieldOf(const Json &record, std::string_view name) { return record.value(name, Json()); }

std::string shortNumber(const Json &value) {
  if (value.is_number_float())
    return fmt::format("{:.4g}", value.get<double>());
  if (value.is_number())
    return withSeparators(value.get<uint64_t>());
  return value.is_string() ? value.get<std::string>() : "-";
}

std::string plain(const Json &value) {
  if (value.is_null())
    return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Whether the table in the terminal has a column for a metric.
bool isInTable(const Metric &metric) { return metric.tables == MetricTables::all; }

std::string commandOf(const std::vector<Json> &records) {
  const Json command = records.empty() ? Json() : fieldOf(records.front(), "command");
  return "tilerig." + (command.is_string() ? command.get<std::string>() : std::string("verify"));
}

// Whether a record becomes a test case of JUnit: if its status affects that of the run, or if it is about a
// limit that the user set.
bool isCase(const Json &record) { return isJudged(record) || record["record"] == "limit"; }

// Text of all findings of the analyser and of all traps. It is the failure message of the JUnit test case for
// the program.
std::string findingsOf(const std::vector<Json> &records) {
  std::string lines;
  for (const Json &record : records)
    if (record["record"] == "finding") {
      lines += plain(record["kind"]) + ": " + inOneLine(plain(record["reason"])) + "\n";
      for (const Json &place : record["places"])
        lines += "  at " + plain(place["words"]) + "\n";
    }
  return lines;
}

std::string inXmlLines(const std::string &lines) {
  std::string escaped;
  for (size_t at = 0; at < lines.size();) {
    const size_t end = lines.find('\n', at);
    escaped += inXml(lines.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return escaped;
}

// Formats the JUnit test cases of a run, and counts the failed ones.
std::string casesOf(const std::vector<Json> &records, size_t &failures) {
  const std::string command = commandOf(records);
  std::string cases;
  for (const Json &record : records) {
    if (!isCase(record))
      continue;
    const std::string kind = isLayer(record) ? "" : "." + plain(record["record"]);
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", inXml(command + kind),
                         inXml(plain(record["name"])));
    if (isMatch(record)) {
      cases += "/>\n";
      continue;
    }
    ++failures;
    const std::string body = record["record"] == "program" ? inXmlLines(findingsOf(records)) : "";
    cases += fmt::format(">\n      <failure type=\"{}\" message=\"{}\"{}\n    </testcase>\n",
                         inXml(plain(record["status"])), inXml(plain(record["reason"])),
                         body.empty() ? "/>" : ">\n" + body + "</failure>");
  }
  return cases;
}

// The verdict on the network as text, if something is wrong.
std::string verdictOf(const Json &verdict) {
  const std::string on = verdict["layer"].is_null() ? "" : " on " + plain(verdict["layer"]);
  const std::string reason = plain(verdict["reason"]), because = reason.empty() ? "" : ": " + reason;
  if (verdict["answer"] == "one_of") {
    std::string classes;
    for (const Json &name : verdict["classes"])
      classes += (classes.empty() ? "" : ", ") + plain(name);
    return "proved to be one of " + classes + on + because;
  }
  const bool isProved = verdict.value("proved", false);
  const std::string answer = plain(verdict["class"].is_null() ? verdict["answer"] : verdict["class"]);
  const std::string unknown = verdict["answer"] == "unknown" ? "unknown bug, most similar to " : "";
  return (isProved ? "proved: " : "") + unknown + answer + on + because;
}

std::string propertiesOf(const std::vector<Json> &records) {
  std::string properties;
  for (const Json &record : records)
    if (record["record"] == "verdict" && !allMatch(records))
      properties += fmt::format("      <property name=\"verdict\" value=\"{}\"/>\n",
                                inXml(inOneLine(verdictOf(record))));
  return properties.empty() ? "" : "    <properties>\n" + properties + "    </properties>\n";
}

} // namespace

std::string summaryLine(const std::vector<Json> &records) {
  const Json summary = summaryRecord(records);
  std::string text = countText(summary["layers"], "tensor", "tensors") + ":";
  for (const auto &[status, count] : summary["statuses"].items())
    text += fmt::format(" {} {},", count.get<uint64_t>(), status);
  text.pop_back();
  for (const std::string kind : {"emitted", "rounded"})
    if (summary.contains(kind))
      text += fmt::format("; {} checked as {}, {} wrong", countText(summary[kind], "layer", "layers"), kind,
                          summary[kind + "_wrong"].get<uint64_t>());
  if (summary.contains("step"))
    text += fmt::format("; {} checked, {} wrong",
                        countText(summary["step"].get<uint64_t>(), "further step", "further steps"),
                        summary["step_wrong"].get<uint64_t>());
  if (summary.contains("passes"))
    text +=
        fmt::format("; {} checked, {} wrong, {} not judged", countText(summary["passes"], "pass", "passes"),
                    summary["passes_wrong"].get<uint64_t>(), summary["passes_not_judged"].get<uint64_t>());
  for (const Json &record : records)
    if (record["record"] == "program")
      text += fmt::format("; the program is {}", plain(record["status"]));
  return text + "\n";
}

std::string inOneLine(std::string_view text) {
  std::string line;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    line += (line.empty() ? "" : " ") + std::string(text.substr(at, end - at));
    at = std::min(text.find_first_not_of(" \n", end), text.size());
  }
  return printable(line);
}

std::string asTable(const std::vector<Json> &records) {
  using enum Align;
  std::vector<Table::Column> columns = {{"tensor", left}, {"status", left}};
  for (const Metric &metric : metrics)
    if (isInTable(metric))
      columns.push_back({std::string(metric.heading), right});
  Table table(std::move(columns));
  std::string reasons, leftOut;
  for (const Json &record : records) {
    if (record["record"] == "left_out")
      leftOut +=
          fmt::format("  not compared: {} ({})\n", printable(plain(record["name"])), plain(record["reason"]));
    if (!isLayer(record))
      continue;
    std::vector<std::string> cells = {record["name"], record["status"]};
    for (const Metric &metric : metrics)
      if (isInTable(metric))
        cells.push_back(shortNumber(fieldOf(record, metric.key)));
    table.add(std::move(cells));
    if (!isMatch(record))
      reasons += fmt::format("  {}: {}: {}\n", printable(plain(record["name"])), plain(record["status"]),
                             inOneLine(plain(record["reason"])));
  }
  return table.text() + leftOut + (reasons.empty() ? "" : "\n" + reasons) + "\n" + summaryLine(records);
}

std::string asCsv(const std::vector<Json> &records) {
  std::vector<std::string_view> columns = {"name", "layer", "where", "status", "reason", "dtype"};
  for (const Metric &metric : metrics)
    columns.push_back(metric.key);
  for (const char *limit : {"oom_limit", "rel_err", "bit_off", "output_type", "anchor"})
    columns.push_back(limit);
  auto row = [&](const auto &cellOf) {
    std::string line;
    for (const std::string_view column : columns)
      line += (line.empty() ? "" : ",") + inCsv(cellOf(column));
    return line + "\n";
  };
  std::string text = row([](std::string_view column) { return std::string(column); });
  for (const Json &record : records)
    if (isLayer(record))
      text += row([&](std::string_view column) { return plain(fieldOf(record, column)); });
  return text;
}

std::string asJUnit(const std::vector<NamedRun> &runs) {
  std::string suites;
  for (const NamedRun &run : runs) {
    if (!run.records) {
      suites += fmt::format("  <testsuite name=\"{0}\" tests=\"1\" failures=\"0\" errors=\"1\">\n"
                            "    <testcase classname=\"tilerig.check\" name=\"{0}\">\n"
                            "      <error message=\"{1}\"/>\n    </testcase>\n  </testsuite>\n",
                            inXml(run.name), inXml(run.error));
      continue;
    }
    size_t failures = 0;
    const std::string cases = casesOf(*run.records, failures);
    const auto tests = std::ranges::count_if(*run.records, isCase);
    suites += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\">\n{}{}"
                          "  </testsuite>\n",
                          inXml(run.name), tests, failures, propertiesOf(*run.records), cases);
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n" + suites + "</testsuites>\n";
}

std::string asJUnit(const std::vector<Json> &records) {
  std::string name = commandOf(records);
  std::ranges::replace(name, '.', ' ');
  return asJUnit({{std::move(name), &records}});
}

Json documentOf(const std::vector<Json> &records) {
  Json document = {{"match", allMatch(records)}};
  document["layers"] = Json::array();
  document["left_out"] = Json::array();
  for (Json record : records) {
    const std::string kind = record["record"];
    record.erase("record");
    record.erase("plane");
    record.erase("diagram");
    if (record.contains("truth") && record["truth"].is_object())
      record["truth"].erase("plane");
    if (kind == "layer")
      document["layers"].push_back(std::move(record));
    else if (kind == "run" || kind == "summary" || kind == "clock" || kind == "verdict" ||
             kind == "accuracy" || kind == "passes" || kind == "debug")
      document[kind] = std::move(record);
    else
      document[kind == "finding" ? "findings" : kind].push_back(std::move(record));
  }
  return document;
}

std::string asDocument(const std::vector<Json> &records) {
  return documentOf(records).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace tilerig::verify
