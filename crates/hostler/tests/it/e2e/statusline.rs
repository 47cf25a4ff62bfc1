//! The status line on the screen of the real client.

use testkit::model::{Turn, bash, say};
use testkit::{Register, Terminal};

use super::scenario;

#[test]
fn init_puts_the_status_line_on_the_clients_screen() {
    let name = "init_puts_the_status_line_on_the_clients_screen";
    let Some(world) = scenario(name).open() else { return };
    let turns = [Turn::new([bash("rm -rf /")]), Turn::new([say("understood")])];
    let Some(terminal) = Terminal::open(name, &world, (100, 30), turns) else { return };
    terminal.shows("main · standard");
    terminal.types("clean up");
    terminal.shows("understood");
    let screen = terminal.shows("1 stopped");
    assert!(screen.contains("% context"), "{screen}");
    drop(terminal);
    world.hostler_ok(&["uninit"]);
    world.lacks(".claude/settings.local.json");
}

#[test]
fn a_narrow_terminal_gets_a_short_line_and_the_users_own_line_stays() {
    let name = "a_narrow_terminal_gets_a_short_line_and_the_users_own_line_stays";
    let Some(world) = scenario(name).open() else { return };
    let Some(terminal) = Terminal::open(name, &world, (60, 30), []) else { return };
    let screen = terminal.shows("main · standard");
    assert!(screen.lines().all(|line| !line.contains('…')), "{screen}");
    drop(terminal);

    let own = r#"{"statusLine":{"type":"command","command":"echo the line of the user"}}"#;
    let scenario = scenario(name).file("~/.claude/settings.json", own);
    let Some(world) = scenario.register(Register::Init(Vec::new())).open() else { return };
    let Some(terminal) = Terminal::open(name, &world, (100, 30), []) else { return };
    let screen = terminal.shows("the line of the user");
    assert!(!screen.contains("main · standard"), "{screen}");
}
