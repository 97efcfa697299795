#include "classifier/Data/Split.h"

#include "isa/Base/Support/Hash.h"

#include <array>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <optional>

namespace tilerig::classifier {

namespace {

constexpr std::array<std::string_view, numParts> partNames = {
    "unknown_tuning", "unknown",       "unseen_precision", "unseen_machine", "unseen_tiles",
    "unseen_site",    "unseen_family", "calibration",      "seen",           "training"};

// The fields of a dataset row by which the option --held-out can exclude rows from training, with their names
// in this option. If several fields exclude a row, the one that comes first in this list decides to which
// part of the dataset the row belongs.
struct Field {
  std::string_view name;
  Part part;
  std::string (*valueOf)(const verify::Origin &);
};
constexpr Field fields[] = {
    {"unknown_tuning", Part::unknownTuning, [](const verify::Origin &origin) { return origin.bug; }},
    {"unknown", Part::unknownJudging, [](const verify::Origin &origin) { return origin.bug; }},
    {"precision", Part::unseenPrecision, [](const verify::Origin &origin) { return origin.precision; }},
    {"machine", Part::unseenMachine, [](const verify::Origin &origin) { return origin.machine; }},
    {"tiles", Part::unseenTiles, [](const verify::Origin &origin) { return std::to_string(origin.tiles); }},
    {"site", Part::unseenSite, [](const verify::Origin &origin) { return origin.site; }},
    {"family", Part::unseenFamily, [](const verify::Origin &origin) { return origin.family; }},
    {"calibration", Part::calibration, [](const verify::Origin &origin) { return origin.family; }},
};

const Field *findField(std::string_view name) {
  const Field *field = std::ranges::find(fields, name, &Field::name);
  return field == std::end(fields) ? nullptr : field;
}

std::string knownFields() {
  std::string names;
  for (const Field &field : fields)
    names += (names.empty() ? "" : ", ") + std::string(field.name);
  return names;
}

// Whether all rows of the network with the number `unit` are held out. This is so for one network in ten.
bool isPutAside(uint64_t unit) { return hashText(fmt::format("unit {}", unit)) % 10 == 0; }

} // namespace

std::string_view nameOf(Part part) { return partNames[static_cast<size_t>(part)]; }

Result<Split> Split::of(const std::vector<std::string> &heldOut) {
  Split split;
  for (const std::string &text : heldOut) {
    const size_t equals = text.find('=');
    const std::string name = equals == std::string::npos ? "family" : text.substr(0, equals);
    const Field *field = findField(name);
    if (!field)
      return usageError("--held-out " + text, "unknown field '" + name + "'", "use one of " + knownFields());
    split.heldOut[field->part].insert(equals == std::string::npos ? text : text.substr(equals + 1));
  }
  return split;
}

Result<Split> Split::fromJson(const JsonPlace &object) {
  std::vector<std::string> texts;
  TILERIG_CHECK_OK(object.expectObject());
  for (const auto &[name, values] : object.value->items()) {
    const JsonPlace list = object.member(name, values);
    if (!findField(name))
      return list.refuse("unknown key", "use one of " + knownFields());
    TILERIG_CHECK_OK(list.expectList());
    for (const Json &value : values)
      texts.push_back(name + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return of(texts);
}

Status Split::checkNames(const Rows &rows) const {
  for (const Field &field : fields) {
    const auto values = heldOut.find(field.part);
    if (values == heldOut.end())
      continue;
    std::set<std::string> there;
    for (size_t row = 0; row < rows.size(); ++row)
      there.insert(field.valueOf(rows.origin(row)));
    for (const std::string &value : values->second)
      if (!there.contains(value))
        return usageError(fmt::format("--held-out {}={}", field.name, value),
                          fmt::format("no row of the dataset has {}={}", field.name, value),
                          fmt::format("the rows have {}", fmt::join(there, ", ")));
  }
  return success();
}

Part Split::partOf(const verify::Origin &origin) const {
  for (const Field &field : fields)
    if (auto values = heldOut.find(field.part);
        values != heldOut.end() && values->second.contains(field.valueOf(origin)))
      return field.part;
  return isPutAside(origin.unit) ? Part::seen : Part::training;
}

Json Split::asJson() const {
  Json json = Json::object();
  for (const Field &field : fields)
    if (auto values = heldOut.find(field.part); values != heldOut.end())
      json[std::string(field.name)] = values->second;
  return json;
}

// By default, bugs are held out that behave unlike any other bug of the catalogue; otherwise the classifier
// could recognise them, and its detection of unknown bugs would not be tested. Held out for evaluation: a
// tile without any result, sums that wrap around, a missing part of a lookup table, a transposed result. Held
// out for tuning the detection of unknown bugs: another activation function, a transfer to the wrong tile,
// missing halos.
std::vector<std::string> usualSplit() {
  return {"vgg",
          "bert",
          "digits",
          "calibration=alexnet",
          "calibration=lstm",
          "calibration=squeezenet",
          "unknown_tuning=activation-wrong",
          "unknown_tuning=wrong-destination",
          "unknown_tuning=halo-lost",
          "unknown=dead-tile",
          "unknown=wrap",
          "unknown=table-segment",
          "unknown=output-transposed"};
}

} // namespace tilerig::classifier
