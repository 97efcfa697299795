// Serves an editor by the Debug Adapter Protocol, over standard input and output or a socket on the loopback interface.
#pragma once

#include "emulator/Debug/Dap/Server.h"

namespace tilerig::emulator {

// Loads a program; `isInterrupted` says during a movement whether the client wants it to stop.
using AdapterLoader = std::function<Result<std::unique_ptr<Debugger>>(const Json &arguments,
                                                                      std::function<bool()> isInterrupted)>;

// Serves one client over two descriptors until it ends the session or hangs up.
Status serveAdapter(const AdapterLoader &load, int input, int output);
// Waits for one client on a port of the loopback interface, and serves it. `announce` is called when the port is open.
Status serveAdapterOn(const AdapterLoader &load, uint16_t port, const std::function<void()> &announce);

} // namespace tilerig::emulator
