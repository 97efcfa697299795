#include "verify/Records/Sarif.h"

#include "isa/Base/Support/Hash.h"
#include "verify/Records/Render.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <set>

namespace tilerig::verify {

namespace {

// A path as a reference to a file: relative to the working directory, or with the scheme `file`.
std::string uriOf(const std::string &path) {
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char letter : path) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool isPlain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                         (byte >= 'a' && byte <= 'z') ||
                         std::string_view("-._~/").find(letter) != std::string_view::npos;
    uri += isPlain ? std::string(1, letter) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

Json messageOf(std::string_view text) { return {{"text", inOneLine(text)}}; }

// "uninitialised_read" in words.
std::string wordsOf(std::string rule) {
  std::ranges::replace(rule, '_', ' ');
  return rule;
}

std::string textOf(const Json &record, const char *field) {
  const Json value = record.value(field, Json());
  return value.is_string() ? value.get<std::string>() : "";
}

class Sarif {
public:
  Sarif(const std::vector<Json> &records, const std::string &folder, const std::string &file)
      : folder(folder), file(file) {
    for (const Json &record : records) {
      endsEarly |= record["record"] == "program" && record.value("status", Json()) == "faulty";
      if (record["record"] == "finding" && record["by"] == "analyser")
        proved.insert(textOf(record, "kind"));
    }
    for (const Json &record : records)
      add(record);
  }

  Json document() const {
    Json list = Json::array();
    for (const std::string &rule : rules)
      list.push_back({{"id", rule}, {"shortDescription", messageOf(wordsOf(rule))}});
    const Json driver = {{"name", "tilerig"}, {"version", TILERIG_VERSION}, {"rules", std::move(list)}};
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs",
             {{{"tool", {{"driver", driver}}}, {"columnKind", "unicodeCodePoints"}, {"results", results}}}}};
  }

private:
  void add(const Json &record) {
    const std::string kind = textOf(record, "record");
    if (kind == "finding") {
      // What the analyser has proved, the emulator also meets.
      if (record["by"] == "analyser" || !proved.contains(textOf(record, "kind")))
        addFinding(record);
    } else if (isLayer(record) && !isMatch(record) && record["status"] != "inherited" &&
               !(endsEarly && record["status"] == "missing"))
      addTensor(record);
    else if ((kind == "emitted" || kind == "rounded") && !isMatch(record))
      addOfModel("wrong_as_" + kind, record);
    else if (kind == "passes" && !isMatch(record))
      addOfModel("wrong_pass", record);
    else if (kind == "limit" && !isMatch(record))
      addOfModel("limit", record);
  }

  // Starts a result. `what` tells it from other results of its rule, also in later runs.
  Json result(const std::string &rule, const std::string &message, Json place, const std::string &what) {
    if (std::ranges::find(rules, rule) == rules.end())
      rules.push_back(rule);
    const auto index = std::ranges::find(rules, rule) - rules.begin();
    const size_t number = numAlike[rule + "\n" + what]++; // several results may be about the same layers
    return {{"ruleId", rule},
            {"ruleIndex", index},
            {"level", "error"},
            {"message", messageOf(message)},
            {"locations", Json::array({std::move(place)})},
            {"partialFingerprints",
             {{"tilerig/v1", fmt::format("{:016x}:{}", hashText(rule + "\n" + what), number)}}}};
  }

  Json placeOfModel(const std::string &layer) const {
    Json place = {{"physicalLocation", {{"artifactLocation", {{"uri", uriOf(file)}}}}}};
    if (!layer.empty())
      place["logicalLocations"] = Json::array({{{"name", layer}, {"kind", "layer"}}});
    return place;
  }
  Json artifactOf(const Json &listed) const {
    return {{"uri", uriOf(folder + "/" + textOf(listed, "listing"))}};
  }
  // The place of an instruction, or the file of the model for places on the host.
  Json placeOf(const Json &place) const {
    const std::string layer = textOf(place, "layer");
    Json location = placeOfModel(layer);
    if (place.contains("line"))
      location["physicalLocation"] = {{"artifactLocation", artifactOf(place)},
                                      {"region", {{"startLine", place["line"]}}}};
    location["message"] = messageOf(textOf(place, "words"));
    return location;
  }

  void addFinding(const Json &finding) {
    const Json &places = finding["places"];
    const std::string kind = textOf(finding, "kind");
    std::string what;
    for (const Json &place : places)
      what +=
          textOf(place, "layer") + " " + textOf(place, "operation") + " " + textOf(place, "operand") + "\n";
    Json one =
        result(kind, textOf(finding, "reason"), places.empty() ? placeOfModel("") : placeOf(places[0]), what);
    for (size_t i = 1; i < places.size(); ++i) {
      Json related = placeOf(places[i]);
      related["id"] = i;
      one["relatedLocations"].push_back(std::move(related));
    }
    if (finding.contains("clocks") && places.size() == 2)
      one["codeFlows"] = Json::array({flowOf(finding)});
    if (finding.contains("missing_order"))
      one["fixes"] = Json::array({fixOf(finding["missing_order"])});
    if (const std::string picture = textOf(finding, "picture"); !picture.empty())
      one["attachments"] =
          Json::array({{{"description", messageOf("the order of the steps around the problem")},
                        {"artifactLocation", {{"uri", uriOf(folder + "/" + picture)}}}}});
    one["properties"] = {
        {"found_by", finding["by"]}, {"memory", finding["memory"]}, {"bytes", finding["bytes"]}};
    results.push_back(std::move(one));
  }

  // The two accesses of a race, each as a thread of its own: nothing orders them.
  Json flowOf(const Json &race) const {
    Json threads = Json::array();
    for (size_t i = 0; i < 2; ++i)
      threads.push_back({{"id", race["clocks"][i]["thread"]},
                         {"message", messageOf(textOf(race["clocks"][i], "words"))},
                         {"locations", Json::array({{{"location", placeOf(race["places"][i])}}})}});
    return {{"threadFlows", std::move(threads)}};
  }

  // Inserts instructions before lines of the listings, each of which is the text of one tile. Whoever repairs a program inserts
  // the same lines into its whole assembly text.
  Json fixOf(const Json &order) const {
    std::string words;
    Json changes = Json::array();
    for (const Json &added : order["added"]) {
      words += (words.empty() ? "add '" : " and '") + textOf(added, "instruction") + "'";
      if (!added.contains("line"))
        continue;
      const Json region = {{"startLine", added["line"]}, {"startColumn", 1}, {"endColumn", 1}};
      changes.push_back(
          {{"artifactLocation", artifactOf(added)},
           {"replacements",
            Json::array({{{"deletedRegion", region},
                          {"insertedContent", {{"text", "    " + textOf(added, "instruction") + "\n"}}}}})}});
    }
    const bool isEnough = order["proves_program"] == true;
    words += isEnough ? "; the program is then proved" : "; other problems remain";
    Json fix = {{"description", messageOf(words)}};
    fix["artifactChanges"] = std::move(changes);
    return fix;
  }

  void addTensor(const Json &tensor) {
    const std::string name = textOf(tensor, "name"), layer = textOf(tensor, "layer");
    std::string message = name + ": " + textOf(tensor, "reason");
    if (tensor.contains("verdict") && tensor["verdict"].value("answer", Json()) == "named")
      message += "; this looks like " + textOf(tensor["verdict"]["top"][0], "class");
    Json one = result(textOf(tensor, "status"), message, placeOfModel(layer.empty() ? name : layer), name);
    if (tensor.contains("onnx_nodes"))
      one["properties"] = {{"onnx_nodes", tensor["onnx_nodes"]}};
    results.push_back(std::move(one));
  }

  void addOfModel(const std::string &rule, const Json &record) {
    const std::string name = textOf(record, "name");
    const bool isOfLayer = record["record"] == "emitted" || record["record"] == "rounded";
    results.push_back(
        result(rule, name + ": " + textOf(record, "reason"), placeOfModel(isOfLayer ? name : ""), name));
  }

  const std::string &folder, &file;
  bool endsEarly = false;       // the run, so that later tensors are missing
  std::set<std::string> proved; // kinds of findings of the analyser
  std::map<std::string, size_t> numAlike;
  std::vector<std::string> rules;
  Json results = Json::array();
};

} // namespace

std::string asSarif(const std::vector<Json> &records, const std::string &folder, const std::string &file) {
  return Sarif(records, folder, file).document().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace tilerig::verify
