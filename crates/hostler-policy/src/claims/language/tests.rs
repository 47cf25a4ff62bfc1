use super::{LANGUAGES, detect};
use crate::claims::act::Act;
use crate::claims::reading;

/// `text` is recognised as `code`, and these acts are claimed in it, in order.
#[track_caller]
fn check(code: &str, text: &str, wanted: &[Act]) {
    assert_eq!(detect(text).code, code, "language of `{text}`");
    let claims: Vec<Act> = reading::read(text).claims.iter().map(|claim| claim.act).collect();
    assert_eq!(claims, wanted, "claims of `{text}`");
}

#[test]
fn every_language_says_what_it_needs() {
    for language in LANGUAGES {
        let code = language.code;
        assert_eq!(
            language.spaced,
            !language.markers.is_empty(),
            "{code}: markers tell languages with blanks apart"
        );
        for (name, words) in [
            ("pass", language.pass),
            ("fail", language.fail),
            ("all", language.all),
            ("modal", language.modal),
            ("conditional", language.conditional),
            ("negation", language.negation),
            ("faults", language.faults),
            ("attribution", language.attribution),
            ("earlier", language.earlier),
            ("plans", language.plans),
            ("acknowledgement", language.acknowledgement),
            ("completion", language.completion),
        ] {
            assert!(!words.is_empty(), "{code} has no {name}");
            for word in words {
                assert_eq!(word.to_lowercase(), **word, "{code}/{name}: `{word}` is compared in lower case");
                assert_eq!(word.trim(), *word, "{code}/{name}: `{word}` has blanks around");
            }
        }
        let mut ids = Vec::new();
        for verb in language.verbs {
            assert!(verb.id.starts_with(&format!("{code}/")), "{code}: pattern `{}`", verb.id);
            assert!(!ids.contains(&verb.id), "{code}: pattern `{}` twice", verb.id);
            ids.push(verb.id);
            assert!(
                !verb.done.is_empty() || !verb.participle.is_empty(),
                "{code}: `{}` has no forms",
                verb.id
            );
        }
        for act in
            [Act::Create, Act::Edit, Act::Delete, Act::Move, Act::Read, Act::Run, Act::Commit, Act::Push]
        {
            assert!(language.verbs.iter().any(|verb| verb.act == act), "{code} has no verb for {act:?}");
        }
        for act in [Act::Test, Act::Build, Act::Lint, Act::Typecheck] {
            assert!(language.judges.iter().any(|(judged, _)| *judged == act), "{code} names no {act:?}");
        }
    }
}

#[test]
fn english_is_read_where_nothing_is_recognised() {
    for text in [
        "",
        "42",
        "Installed, fixed, committed.",
        "- `a.py`: fixed\n- Tests: 31 passed",
        "`x`",
        "OK",
        "Docs: a, e, o",
        "Update la route",
        "Option A is done, B is not.",
    ] {
        assert_eq!(detect(text).code, "en", "`{text}`");
    }
}

#[test]
fn a_fault_that_is_gone_fails_nothing() {
    check("en", "Fixed the parser error and all tests pass.", &[Act::Edit, Act::Test]);
    check("en", "I fixed two of the errors, some tests still fail.", &[Act::Edit]);
    check("de", "Der Fehler ist behoben, alle Tests sind grün.", &[Act::Edit, Act::Test]);
    check("fr", "L'erreur est corrigée et les tests passent.", &[Act::Edit, Act::Test]);
    check("es", "El error está corregido y las pruebas pasan.", &[Act::Edit, Act::Test]);
    check("pt", "O erro foi corrigido e os testes passaram.", &[Act::Edit, Act::Test]);
    check("zh", "错误已修复，所有测试通过。", &[Act::Edit, Act::Test]);
    check("ja", "エラーを修正し、テストが成功しました。", &[Act::Edit, Act::Test]);
    check("ko", "오류를 수정했고 모든 테스트가 통과했습니다.", &[Act::Edit, Act::Test]);
}

/// The paths that each claim of `text` is about.
#[track_caller]
fn check_paths(text: &str, wanted: &[&[&str]]) {
    let message = reading::read(text);
    let paths: Vec<Vec<&str>> = message.claims.iter().map(|claim| claim.paths().collect()).collect();
    assert_eq!(paths, wanted, "paths of `{text}`");
}

#[test]
fn objects_belong_to_the_verb_on_the_side_where_the_language_has_them() {
    check_paths("更新了 `a.py`、`b.py`，并删除了 `c.py`。", &[&["a.py", "b.py"], &["c.py"]]);
    check_paths("我运行了测试，并更新了 `a.py`。", &[&[], &["a.py"]]);
    check_paths("`a.py`、`b.py` を修正し、リントを実行しました。", &[&["a.py", "b.py"], &[]]);
    check_paths("`a.py` を更新し、`b.py` を削除しました。", &[&["a.py"], &["b.py"]]);
    check_paths("`a.py` 파일을 수정했고, `b.py` 파일을 삭제했습니다.", &[&["a.py"], &["b.py"]]);
}

#[test]
fn german() {
    check("de", "Ich habe `src/a.ts` angelegt.", &[Act::Create]);
    check("de", "Die Datei `src/a.ts` wurde gelöscht.", &[Act::Delete]);
    check("de", "Die Änderungen sind committet und gepusht.", &[Act::Commit, Act::Push]);
    check("de", "Alle Tests sind grün.", &[Act::Test]);
    check("de", "Der Build läuft fehlerfrei, aber ich habe ihn nicht deployt.", &[Act::Build]);
    check("de", "Ich werde `src/a.ts` anlegen.", &[]);
    check("de", "Die Datei muss noch gelöscht werden.", &[]);
    check("de", "Ich habe die Datei nicht gelöscht.", &[]);
    check("de", "Soll ich die Datei löschen? Wurde sie schon angelegt?", &[]);
    check("de", "Die Tests sollten jetzt grün sein.", &[]);
    check("de", "Zwei der Tests schlagen noch fehl.", &[]);
    check("de", "Wenn die Tests bestanden sind, wird der Zweig gepusht.", &[]);
    check("de", "Laut dem Ticket wurde die Datei gelöscht.", &[]);
    check("de", "In der letzten Sitzung habe ich die Datei gelöscht.", &[]);
    check("de", "Du hast die Datei gelöscht.", &[]);
    check(
        "de",
        "Zusammenfassung:\n\n- `src/a.py`: Rundung korrigiert\n- Tests: 31 bestanden",
        &[Act::Edit, Act::Test],
    );
    check("de", "> Ich habe die Datei gelöscht.\n\nDas ist nur das Zitat.", &[]);
}

#[test]
fn french() {
    check("fr", "J'ai créé le fichier `src/a.ts`.", &[Act::Create]);
    check("fr", "Le fichier `src/a.ts` a été supprimé.", &[Act::Delete]);
    check("fr", "Les changements sont commités et poussés.", &[Act::Commit, Act::Push]);
    check("fr", "Tous les tests passent.", &[Act::Test]);
    check("fr", "Je vais créer le fichier `src/a.ts`.", &[]);
    check("fr", "Je n'ai pas supprimé le fichier.", &[]);
    check("fr", "Dois-je lancer les tests ? Le fichier est-il créé ?", &[]);
    check("fr", "Les tests devraient passer.", &[]);
    check("fr", "Deux tests échouent encore.", &[]);
    check("fr", "Si les tests sont lancés, la branche est poussée.", &[]);
    check("fr", "Selon le ticket, le fichier a été supprimé.", &[]);
    check("fr", "Hier, j'ai supprimé le fichier.", &[]);
    check("fr", "Vous avez supprimé le fichier.", &[]);
}

#[test]
fn spanish() {
    check("es", "He creado el archivo `src/a.ts`.", &[Act::Create]);
    check("es", "Se ha eliminado el archivo `src/a.ts`.", &[Act::Delete]);
    check("es", "Ejecuté las pruebas y corregí el error.", &[Act::Run, Act::Edit]);
    check("es", "Todas las pruebas pasan.", &[Act::Test]);
    check("es", "Voy a crear el archivo `src/a.ts`.", &[]);
    check("es", "No he eliminado el archivo.", &[]);
    check("es", "¿Debo ejecutar las pruebas? ¿Se ha creado el archivo?", &[]);
    check("es", "Las pruebas deberían pasar.", &[]);
    check("es", "Dos de las pruebas fallan.", &[]);
    check("es", "Si se ha creado el archivo, haré el commit.", &[]);
    check("es", "Según el ticket, el archivo fue eliminado.", &[]);
    check("es", "Ayer creé el archivo `src/a.ts`.", &[]);
}

#[test]
fn portuguese() {
    check("pt", "Criei o arquivo `src/a.ts`.", &[Act::Create]);
    check("pt", "O arquivo `src/a.ts` foi removido.", &[Act::Delete]);
    check("pt", "Todos os testes passaram.", &[Act::Test]);
    check("pt", "Vou criar o arquivo `src/a.ts`.", &[]);
    check("pt", "Não removi o arquivo.", &[]);
    check("pt", "Devo executar os testes? O arquivo foi criado?", &[]);
    check("pt", "Os testes deveriam passar.", &[]);
    check("pt", "Dois dos testes falharam.", &[]);
    check("pt", "Se o arquivo foi criado, farei o commit.", &[]);
    check("pt", "Segundo o ticket, o arquivo foi removido.", &[]);
    check("pt", "Ontem criei o arquivo `src/a.ts`.", &[]);
}

#[test]
fn chinese() {
    check("zh", "我已创建 `src/a.ts`。", &[Act::Create]);
    check("zh", "已将超时改为 30 秒，并运行了测试。", &[Act::Edit, Act::Run]);
    check("zh", "改动已提交并推送到 `origin/main`。", &[Act::Commit, Act::Push]);
    check("zh", "所有测试均已通过。", &[Act::Test]);
    check("zh", "所有测试全部通过，没有失败。", &[Act::Test]);
    check("zh", "我将创建 `src/a.ts`。", &[]);
    check("zh", "我还没有运行测试。", &[]);
    check("zh", "需要我删除这个文件吗？", &[]);
    check("zh", "测试应该会通过。", &[]);
    check("zh", "有 2 个测试失败。", &[]);
    check("zh", "如果已创建文件，就可以提交。", &[]);
    check("zh", "昨天我创建了 `src/a.ts`。", &[]);
    check("zh", "您已删除该文件。", &[]);
    check("zh", "改动已提交，尚未推送到远端。", &[Act::Commit]);
}

#[test]
fn japanese() {
    check("ja", "`src/a.ts` を作成しました。", &[Act::Create]);
    check("ja", "設定を更新し、コミットしました。", &[Act::Edit, Act::Commit]);
    check("ja", "すべてのテストが成功しました。", &[Act::Test]);
    check("ja", "`src/a.ts` を作成します。", &[]);
    check("ja", "テストは実行していません。", &[]);
    check("ja", "ファイルを削除しましょうか？", &[]);
    check("ja", "テストは成功するはずです。", &[]);
    check("ja", "2件のテストが失敗しました。", &[]);
    check("ja", "もしファイルが作成されました場合は、お知らせください。", &[]);
    check("ja", "昨日ファイルを作成しました。", &[]);
    check("ja", "ユーザーがファイルを削除しました。", &[]);
}

#[test]
fn korean() {
    check("ko", "`src/a.ts` 파일을 생성했습니다.", &[Act::Create]);
    check("ko", "설정을 변경했고 커밋했습니다.", &[Act::Edit, Act::Commit]);
    check("ko", "푸시까지 완료했습니다.", &[Act::Push]);
    check("ko", "모든 테스트가 통과했습니다.", &[Act::Test]);
    check("ko", "`src/a.ts` 파일을 생성하겠습니다.", &[]);
    check("ko", "테스트를 실행하지 않았습니다.", &[]);
    check("ko", "파일을 삭제할까요?", &[]);
    check("ko", "테스트가 통과할 것입니다.", &[]);
    check("ko", "테스트 2개가 실패했습니다.", &[]);
    check("ko", "어제 파일을 생성했습니다.", &[]);
    check("ko", "사용자가 파일을 삭제했습니다.", &[]);
    check("ko", "파일을 수정해 주세요.", &[]);
}
