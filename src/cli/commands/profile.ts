import { profileJson } from '../../domain/profile-json.ts';
import { eventJson } from '../../domain/run-json.ts';
import { environmentOf, openWorld } from '../../operations/open-world.ts';
import { profile } from '../../operations/quality/profile.ts';
import { profileHistory } from '../../operations/quality/profile-history.ts';
import { openGivenFiles } from '../../operations/workspace.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { profilePage } from '../picture/profile-page.ts';
import { profiledLine, profileText } from '../render/profile-text.ts';
import { counted } from '../render/table.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { values, terminal } = context;
  const world = await openWorld(await context.workspace());
  const environment = environmentOf(world.config, values.get('env'));
  const [selection] = context.arguments;
  const events = profile(world, {
    environment,
    ...(selection === undefined ? {} : { selection }),
    signal: context.interruption().stop,
  });
  const left: { readonly model: string; readonly reason: string }[] = [];
  for (;;) {
    const next = await events.next();
    if (next.done !== true) {
      const event = next.value;
      // On a terminal tables say at the end what drifted.
      if (terminal.mode === 'json') terminal.write(`${eventJson(event, Date.now())}\n`);
      else if (event.event === 'model.profiled') terminal.note(profiledLine(terminal, event.profile));
      if (event.event === 'profile.left') {
        left.push({ model: event.model, reason: event.reason });
        if (terminal.mode !== 'json')
          terminal.note(`${'Left out'.padStart(9)}  ${event.model}  ${event.reason}`);
      }
      continue;
    }
    const profiles = next.value;
    const file = values.get('html');
    if (file !== undefined)
      openGivenFiles().write(
        file,
        profilePage(
          await profileHistory(world, profiles),
          `Profiles of ${world.config.displayName ?? world.config.name}, ${environment}`,
        ),
      );
    return {
      data: { environment, profiles: profiles.map(profileJson), not_profiled: left },
      print: ({ out, note }) => {
        for (const [index, each] of profiles.entries())
          out(`${index === 0 ? '' : '\n'}${profileText(terminal, each)}`);
        if (file !== undefined) note(`report in ${file}`);
        note(
          profiles.length === 0 && left.length === 0
            ? `no dq pack of ${environment} has profiles; plinth profile MODELS profiles any`
            : `${counted(profiles.length, 'table')} profiled in ${environment}`,
        );
      },
    };
  }
}
