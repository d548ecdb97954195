/** Tells the parent the port, and on each message the CPU time used so far, in microseconds. */
export function reportCpu(port) {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send({
      cpu: user + system,
      user,
      system,
      v: process.resourceUsage().voluntaryContextSwitches,
      i: process.resourceUsage().involuntaryContextSwitches,
    });
  });
  process.on('disconnect', () => process.exit(0));
  process.send({ port });
}
