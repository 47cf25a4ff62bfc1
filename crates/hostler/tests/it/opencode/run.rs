//! `opencode run`.

use testkit::model::{Turn, say};
use testkit::opencode::bash;

use super::{open, scenario};

#[test]
fn a_denied_delete_does_not_run_and_the_model_reads_why() {
    let name = "a_denied_delete_does_not_run_and_the_model_reads_why";
    let Some(client) = open(scenario(name).file("~/photos/one.jpg", "precious")) else { return };
    let run = client.play([Turn::new([bash("rm -rf ~/")]), Turn::new([say("understood")])]);
    run.ran_nothing().model_reads("[delete-root]").model_reads("Instead: name the single files");
    client.world().has("~/photos/one.jpg");
}
