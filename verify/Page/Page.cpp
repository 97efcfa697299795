#include "verify/Page/Page.h"

#include "verify/Metrics/Grid.h"
#include "verify/Page/Parts.h"

namespace tilerig::verify {

namespace {

Json gridJson() {
  return {{"rows", gridRows},     {"columns", gridColumns},
          {"equalRow", equalRow}, {"undefinedRow", undefinedRow},
          {"oomEdges", oomEdges}, {"relativeEdges", relativeEdges}};
}

// The metrics of a comparison, in the order in which the page shows them. Those with a heading have a column
// in the table of tensors.
Json metricsJson() {
  Json list = Json::array();
  for (const Metric &metric : metrics)
    list.push_back({{"key", metric.key}, {"heading", metric.heading}});
  return list;
}

// The non-empty cells of a histogram as a compact list: for each cell its count, and the difference between
// its index and that of the cell before.
Json cellsJson(const Json &plane, size_t countAt) {
  Json cells = Json::array();
  uint64_t last = 0;
  for (const Json &entry : plane) {
    const uint64_t cell = entry[0].get<uint64_t>() * gridColumns + entry[1].get<uint64_t>();
    if (entry[countAt] == 0)
      continue;
    cells.push_back(cell - last);
    cells.push_back(entry[countAt]);
    last = cell;
  }
  return cells;
}

void shortenPlane(Json &figures) {
  if (!figures.contains("plane"))
    return;
  figures["cells"] = cellsJson(figures["plane"], 2);
  figures["excusedCells"] = cellsJson(figures["plane"], 3);
  figures.erase("plane");
}

Json layerJson(Json layer) {
  shortenPlane(layer);
  if (layer.contains("truth") && layer["truth"].is_object())
    shortenPlane(layer["truth"]);
  return layer;
}

Json pageData(const std::vector<Json> &records) {
  Json data = {{"grid", gridJson()},       {"metrics", metricsJson()},  {"layers", Json::array()},
               {"leftOut", Json::array()}, {"emitted", Json::array()},  {"rounded", Json::array()},
               {"changes", Json::array()}, {"findings", Json::array()}, {"steps", Json::array()}};
  for (const Json &record : records) {
    if (isLayer(record))
      data["layers"].push_back(layerJson(record));
    else if (record["record"] == "left_out")
      data["leftOut"].push_back(record);
    else if (record["record"] == "emitted" || record["record"] == "rounded")
      data[record["record"].get<std::string>()].push_back(record);
    else if (record["record"] == "finding")
      data["findings"].push_back(record);
    else if (record["record"] == "step")
      data["steps"].push_back(record);
    else if (record["record"] == "baseline")
      data["changes"].push_back(record);
    else
      data[record["record"].get<std::string>()] = record;
  }
  return data;
}

// Escapes '<', so that no name in the data can end the page's script element.
std::string inScript(const Json &data) {
  std::string text;
  for (char letter : data.dump(-1, ' ', false, Json::error_handler_t::replace))
    text += letter == '<' ? std::string("\\u003c") : std::string(1, letter);
  return text;
}

std::string filled(std::string text, const std::string &mark, const std::string &filling) {
  return text.replace(text.find(mark), mark.size(), filling);
}

} // namespace

std::string asPage(const std::vector<Json> &records) {
  std::string page(pageFrame());
  page = filled(page, "@STYLE@", std::string(pageStyle()));
  page = filled(page, "@SCRIPT@", std::string(pageScript()));
  return filled(page, "@DATA@", inScript(pageData(records)));
}

} // namespace tilerig::verify
