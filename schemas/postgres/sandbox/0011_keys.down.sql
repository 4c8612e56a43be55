DROP TABLE IF EXISTS sandbox.key_credentials;
