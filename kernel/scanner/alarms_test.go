package scanner

import (
	"math/rand/v2"
	"testing"
)

// Texts that hold a word for a secret and no secret, in forms that documents, code
// and the records of agents have.
var noSecrets = []string{
	// the output of tests
	"--- PASS: TestName (0.00s)",
	"    --- PASS: TestGenerateSession/returns_error_for_nil_session (0.00s)",
	"--- PASS: TestParseURL/GIT+SSH_protocol (0.00s)\nPASS\nok  \texample.org/x 0.01s",
	"PASS: tests/run-all.sh",
	"PASS: test_upload2 (tests.net.TestUpload2)",
	"PASS  src/login.test.tsx",
	"12 PASS: 11, FAIL: 1",
	// the verb
	"pass `strict=True` to zip()",
	"Pass `includes=file_content` to see the files",
	"pass --keep-going=1 to make, or pass CFLAGS=-O2",
	"please pass '*pconst' instead of a copy",
	"Validate the lines with a Python pass\n\n```bash\nF=~/.x\n```",
	// other values next to such words
	"\"private_key_id\": \"97fd7ba59a96e1f3830296aedb4f50879e4d5382\",",
	"gpg --keyserver hkps://keys.acme.dev --recv-keys CC68F5A3106FF448322E48ED27F5E38D5B0A215F",
	"race_linux.amd64 built with patch race_linux.patch and Go a61fd428974822a8c57a2b2840fc237e6711b24d.",
	"the author's talk: https://drive.google.com/file/d/1nPdvhB0PutEJzdCq5ms6UI58dp50fcAN/view",
	"vault write transit/decrypt/my-key ciphertext=acme:v1:8SDd3WHDOjf7mq69CyCqYjBXAiQQAVZRkFM13ok481zoCmHnSeDX9vyf7w==",
	"<path aria-label=\"API\" d=\"M1767 207v123h210v40h-256V13h248v40h-202v114h194v40zm393\"/>",
	// licences and change logs
	"Copyright Acme Inc. and other contributors. All rights reserved.\nPermission is hereby granted, free of charge, to any person",
	"// reconstruct and truncate the log, then append to it",
	"if reason != other.Providers[inst] {",
	"arising from the use of the Original Work including, without limitation, damages for loss",
	"* **src**: make process.env work with symbols (Ada) [#4569](https://github.com/acme/acme/pull/4569)",
	// references and placeholders, by their whole form
	"POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?missing}",
	"POSTGRES_PASSWORD=${POSTGRES_PASSWORD:-}",
	"DATABASE_URL=postgres://user:password@localhost:5432/mydb\nJWT_SECRET=change-me\nSTRIPE_SECRET_KEY=sk_test_xxx",
	"DATABASE_URL=\"mysql://app:!ChangeMe!@127.0.0.1:3306/app\"",
	"Host key of jump01: SHA256:u0Xv8nLr2cZpWq7TgYk4HsB1mEeDj9aIoNf5RtKbQwM (ED25519), verified by telephone.",
	"DB_PASSWORD=<database_sys_password>",
	"ORACLE_PASSWORD=###ORACLE_PWD###",
	"password: @DB_PASSWORD@ or %DB_PASSWORD% or __DB_PASSWORD__",
	"password: '[your password]'",
	"password = \"your-password-here\"",
	"password: example_password_1",
	"API_KEY=sk-your-api-key-here",
	"token: ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
	"api_key: sk-1234567890abcdef1234567890abcdef",
	"password: urn:k8s:secret:redis:password",
	"password: $slack-password",
	"bind_password = 'wrongPassword'",
	"const EnvCertPassword = \"ACME_CERT_PASSWD\"",
	"curl -H \"X-Token: MY_LOGIN_TOKEN_HERE\" https://acme.dev/v1",
	// code
	"stsLDAPPassword = \"LDAPPassword\"",
	"FS_IOC_GET_ENCRYPTION_PWSALT = 0x800c6615",
	"cmd.Env = append(os.Environ(), \"PWD=\"+dir)",
	"  PWD: '/Users/ada',",
	"readFile('/etc/passwd', 'utf8', callback)",
	"func NewLogin(name *uint16, password *uint16) error",
	"return name, strings.Trim(password, \"\\x00\"), nil",
	"token = token[:copy(token[:base64BufferSize], tokenStr)]",
	"if !s.ReadUint8LengthPrefixed(&list) {",
	"// the relocations that we pass to Machoreloc1",
	"scrypt(password, <span class=\"hljs-string\">'salt'</span>, <span class=\"hljs-number\">64</span>)",
	"connection_url='sqlserver://{{username}}:{{password}}@localhost:1433'",
	"password = mo.Password",
	"setting.Database.Passwd = form.DbPasswd",
	"ctx.Data[\"ResetPwdCodeLives\"] = timeutil.MinutesToFriendly(lives)",
	"password = request.form[\"password\"]",
	"const password = data?.password;",
	"passwd: strings.ToLower(email)",
	"connInfo.Password = v.AsString()",
	"Password: params.NewPassword,",
	"const passesCondition = field.admin?.condition",
	"\"password=\"+args.Password+\"&x\"",
	"if user.Password != nil && token.IDTokenHint2 == \"\" {",
	"type Req struct {\n\tPassword *Password `protobuf:\"bytes,1,opt,name=password\" json:\"password,omitempty\"`\n}",
	"Password string `json:\"password\" binding:\"MaxSize(255)\"`",
	"import (\n\t\"acme.dev/modules/auth/password\"\n\t\"acme.dev/modules/eventsource\"\n)",
	"x := map[string]any{\n\t\"type\":   \"by-password\",\n\t\"scopes\": scopes,\n\t\"user_base\": 1,\n}",
	"// GetOAuth2AuthorizationByCode returns an authorization\nreturn GetOAuth2AuthorizationByCode(ctx)",
	"sshKeys, err := oauth2SyncGetSSHKeys(source)",
	"func Benchmark_QueueWithLim5Prod1ConsPopOne(b *testing.B) {",
	"t.Run(\"Test_GetWithNotExistRepoShouldReturn404\", f)",
	"rule := NewRule(\"user:requests:rate1m\", expr)",
	// markup and labels
	"<input type=\"password\" name=\"password\" id=\"login-password\" autocomplete=\"current-password\" required>",
	"<input type=\"password\" class=\"theme-form2-input\" placeholder=\"Passwort wiederholen\">",
	"<TextField type=\"password\" value={apiConfiguration.openAiApiKey || \"\"} />",
	"<a id=\"opt-redis-password\" href=\"#opt-redis-password\" title=\"#opt-redis-password\">",
	"Passwort wiederholen\nE-Mail-Adresse",
	"{\n  \"password\": \"Passwort\",\n  \"access_token\": \"Zugangstoken\",\n  \"re_type\": \"Passwort bestätigen\"\n}",
	"{\"password\": \"Mot de passe\", \"passcode\": \"Código de acceso\", \"retype\": \"パスワード確認\"}",
	"{\n  \"re_type\": \"Potvrdit heslo\",\n  \"twofa\": \"Dvoufaktorové\"\n}",
	"{\n  \"password\": \"パスワード\",\n  \"access_token\": \"アクセストークン\"\n}",
	"\"auth.password_too_short\": \"%d文字未満のパスワードは設定できません。\"",
	"\"auth.forgot_password\": \"忘记密码？\"",
	// identifiers, hashes, public values
	"{\"type\":\"tool_use\",\"id\":\"toolu_01A09q90qw90lq917835lq9\",\"name\":\"get_token\"}",
	"{\"call_id\":\"call_Zk3Vq8Yt2Lw9Rb6Xn1Mc5Hd7\",\"name\":\"read_secret\",\"arguments\":\"{}\"}",
	"{\"login\":\"acme\",\"id\":12724356,\"node_id\":\"MDEyOk9yZ2FuaXphdGlvbjEyNzI0MzU2\"}",
	"uses: acme/paths-filter@fbd0ab8f3e69293af611ebaee6363fc25e6d187d # v4, needs a token",
	"user image https://github.com/user-attachments/assets/93f0210f-c3ce-4035-91df-ec597e00a3ce",
	"PUBLIC_KEY = 'MCowBQYDK2VwAyEAWMBZ0pMBaL/s8gNXxpAPCIQ8bxjnuz6bQFwGYvjXDfg='",
	"keyContent := \"AAAAB3NzaC1yc2EAAAADAQABAAABAQCqOZB5vkRvXFXups1StDRdG8plbNCqkUjj4zF\"",
	"credential_id: \"051CLMMKB62S6M9M2A4H54K7MMCQALFJ36G4TGB2S9A47APLTILU6C6744CEKG4N6FCGTQ4C\"",
	"token_hash: 6d8ef48297195edcc8e22c70b3020eaa06c52976db67d39b4260c64a69a2cc1508825121b7b8",
	"\"publicKeyFingerprint\": \"b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a1\"",
	"github.com/aliyun/credentials-go v1.4.7 h1:T17dLqEtPUFvjDRRb5giVvLh6dFT8IcNFJJb7MeyCxw=\n",
	"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=a",
	"secretName: default-token-5fjt9",
	"resolved \"https://registry.example.org/js-tokens/-/js-tokens-4.0.0.tgz#19203fb59991df98e3a287050d4647cdeaf32499\"",
	"MINISIGN_PUBKEY=\"RWTx5Zr1tiHQLwG9keckT0c45M3AGeHD6IvimQHpyRywVWGbP1aVSGav\"",
	"`protobuf:\"bytes,3,opt,name=password,proto3\" json:\"password\"`",
	"m.Password = string(dAtA[iNdEx:postIndex])",
	"options to pass to `acme` on the command line",
	"nkey: UDKTV7HZVYJFJN64LLMYQBUR6MTNNYCDC3LAZH4VHURW3GZLL3FULBXV",
	"privateKeyBytes := x509.MarshalPKCS8PrivateKey(privateKey)",
	"sn: {{.Password | utf16le | base64}}",
	"pkcs11:token=Root%20CA%20Certificates;serial=1",
	"<path d=\"M506.3,508.1V11.9h-35.7V0H520v520h-49.4v-11.9H506.3z\"/> the token",
	// the sample of RFC 7519, and a public DSN
	"eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
	"Sentry.init({ dsn: \"https://examplePublicKey@o0.ingest.sentry.io/0\" })",
}

// Passwords that hold the words of placeholders, and other values that are near to
// what must pass.
var secretsAmong = []string{
	"the password is Example#2024",
	"password: Sample-Kite-88!",
	"DB_PASSWORD=MyExample2024!",
	"password: example-Tr0ub4dor",
	"password = \"sample9Kx2vq\"",
	"the root password is FakeMoon!77",
	"PASSWORD=dummyHorse42$",
	"pwd: Todo-Lantern-31",
	"password: 123456789Qx!",
	"password: abcdefG7!kz",
	"login with admin / Example!42x",
	"postgres://app:example7Hq2@db.internal/app",
	"mysql -u root -pExample7Hq2! app",
	"PASS: hunter2x!",
	"PASS=AxedBodedGinger7",
	"pass: kQ3vX9zL",
	"use password \"correct!horse\" there",
	"{\"password\": \"{{an:10}}\"}",
	"<input type=\"password\" value=\"{{an:10}}\">",
	"POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:-Zk3Vq8Yt2Lw9}",
}

func TestNoSecrets(t *testing.T) {
	s := scanner(t)
	for _, text := range noSecrets {
		rep := scanText(t, s, text)
		for _, f := range rep.Findings {
			t.Errorf("%q: %s (%s)", text, f.Rule, f.View)
		}
	}
	for _, text := range secretsAmong {
		if rep := scanText(t, s, expand(text)); len(rep.Findings) == 0 {
			t.Errorf("%q: nothing found", expand(text))
		}
	}
}

// Random values are neither names of programs nor placeholders.
func TestRandomIsNoName(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	taken := 0
	for range 5000 {
		for _, a := range []string{"an", "AN", "lan", "hex", "b64u", "b32"} {
			if v := random(rnd, alphabets[a], 20+rnd.IntN(24)); isPlainName(v) || placeholder(v) {
				taken++
			}
		}
	}
	if taken > 3 {
		t.Errorf("%d of 30000 random values are taken for names", taken)
	}
}
