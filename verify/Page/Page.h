// Renders a report as one HTML page that works from disk: style, script and data are embedded, nothing is
// fetched.
//
// The build embeds page.html, page.css and the scripts into the program (embed.cmake).
#pragma once

#include "verify/Records/Record.h"

namespace tilerig::verify {

std::string asPage(const std::vector<Json> &records);

} // namespace tilerig::verify
